// SPDX-License-Identifier: Apache-2.0
#include "snmp/walk/plan.h"

#include <algorithm>
#include <ranges>

namespace varve::snmp::walk {
namespace {

const inventory::Oid kIfEntry{1, 3, 6, 1, 2, 1, 2, 2, 1};
const inventory::Oid kIfXEntry{1, 3, 6, 1, 2, 1, 31, 1, 1, 1};
const inventory::Oid kDiscontinuityOid{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 19};
// Its index is an address, so no column of interfaces names its rows.
const inventory::Oid kAddressEntry{1, 3, 6, 1, 2, 1, 4, 20, 1};

ArcVector to_arcs(const inventory::Oid& oid) { return {oid.begin(), oid.end()}; }

// The table of a column. ifXTable augments ifTable: their rows are the same.
inventory::Oid table_of(const inventory::Oid& column) {
  inventory::Oid entry(column.begin(), column.end() - (column.empty() ? 0 : 1));
  return entry == kIfXEntry ? kIfEntry : entry;
}

bool is_number(inventory::ObjectType type) { return type <= inventory::ObjectType::integer32; }

bool is_inline(const inventory::Layout& layout, const inventory::Column& column) {
  return std::ranges::equal(column.index, layout.index, {}, {}, &inventory::IndexPart::name);
}

class Planner {
 public:
  Planner(const inventory::Oidset& oidset, const inventory::Correlator& correlator) {
    plan_.oidset = oidset;
    plan_.correlator = correlator;
  }

  std::shared_ptr<const Plan> make() {
    collect_names();
    add_look_ups(PassKind::look_up);
    std::vector<inventory::Oid> tables;
    for (std::size_t i = 0; i < plan_.oidset.objects.size(); ++i) add_object(i, tables);
    for (std::size_t i = 0; i < tables.size(); ++i) add_names(plan_.passes[first_table_ + i], tables[i]);
    add_look_ups(PassKind::look_up_again);
    return std::make_shared<const Plan>(std::move(plan_));
  }

 private:
  void collect_names() {
    for (const auto& layout : plan_.correlator.layouts) {
      auto& places = plan_.layout_names.emplace_back();
      for (const auto& column : layout.columns) {
        const NameColumn name{to_arcs(column.oid), !is_inline(layout, column)};
        const auto known = std::ranges::find_if(
            plan_.names, [&](const NameColumn& n) { return n.oid == name.oid && n.looked_up == name.looked_up; });
        places.push_back(static_cast<std::uint16_t>(known - plan_.names.begin()));
        if (known == plan_.names.end()) plan_.names.push_back(name);
      }
    }
  }

  void add_look_ups(PassKind kind) {
    for (std::size_t i = 0; i < plan_.names.size(); ++i) {
      if (!plan_.names[i].looked_up) continue;
      Pass& pass = plan_.passes.emplace_back();
      pass.kind = kind;
      pass.columns.push_back(name_column(i));
      pass.names = 1;
    }
    first_table_ = plan_.passes.size();
  }

  [[nodiscard]] Column name_column(std::size_t place) const {
    Column column;
    column.oid = plan_.names[place].oid;
    column.is_name = true;
    column.place = static_cast<std::uint16_t>(place);
    return column;
  }

  std::uint16_t add_measure(std::string name, inventory::ObjectType type, std::int32_t object) {
    plan_.measures.push_back({std::move(name), type, object});
    return static_cast<std::uint16_t>(plan_.measures.size() - 1);
  }

  void add_object(std::size_t number, std::vector<inventory::Oid>& tables) {
    const inventory::Object& object = plan_.oidset.objects[number];
    const ArcVector oid = to_arcs(object.oid);
    if (std::ranges::equal(oid, kUptime) || (!plan_.oidset.history && !is_number(object.type))) return;
    const auto place = add_measure(object.name, object.type, static_cast<std::int32_t>(number));
    if (inventory::is_scalar(object.oid)) {
      plan_.scalars.push_back({oid, place});
      return;
    }
    Column column;
    column.oid = oid;
    column.place = place;
    Pass& pass = pass_of(table_of(object.oid), tables);
    pass.columns.push_back(std::move(column));
    if (!object.stand_in) return;
    Column& stand_in = pass.columns.emplace_back();
    stand_in.oid = to_arcs(object.stand_in->oid);
    stand_in.place =
        add_measure(object.stand_in->name, inventory::ObjectType::counter32, static_cast<std::int32_t>(number));
    stand_in.stands_in = true;
  }

  Pass& pass_of(const inventory::Oid& table, std::vector<inventory::Oid>& tables) {
    const auto known = std::ranges::find(tables, table);
    if (known != tables.end()) {
      return plan_.passes[first_table_ + static_cast<std::size_t>(known - tables.begin())];
    }
    tables.push_back(table);
    Pass& pass = plan_.passes.emplace_back();
    if (table == kIfEntry && !plan_.oidset.history) {
      Column column;
      column.oid = to_arcs(kDiscontinuityOid);
      column.place = add_measure(std::string(kDiscontinuity), inventory::ObjectType::time_ticks, -1);
      pass.columns.push_back(std::move(column));
    }
    return pass;
  }

  // Does a column name rows of this table? With one layout every column does. Else those of the same table do, and
  // those of a layout that has none of any table that is asked.
  [[nodiscard]] bool names_table(const NameColumn& name, const inventory::Oid& table) const {
    if (name.looked_up || table == kAddressEntry) return false;
    if (plan_.correlator.layouts.size() == 1) return true;
    const auto table_of_arcs = [](const ArcVector& oid) {
      const auto narrow = oid | std::views::transform([](Arc arc) { return static_cast<std::uint32_t>(arc); });
      return table_of(inventory::Oid(narrow.begin(), narrow.end()));
    };
    const inventory::Oid own = table_of_arcs(name.oid);
    if (own == table) return true;
    return std::ranges::none_of(plan_.oidset.objects, [&](const auto& o) { return table_of(o.oid) == own; });
  }

  void add_names(Pass& pass, const inventory::Oid& table) {
    std::vector<Column> names;
    for (std::size_t i = 0; i < plan_.names.size(); ++i) {
      if (names_table(plan_.names[i], table)) names.push_back(name_column(i));
    }
    pass.names = names.size();
    pass.columns.insert(pass.columns.begin(), names.begin(), names.end());
  }

  Plan plan_;
  std::size_t first_table_ = 0;
};

}  // namespace

std::shared_ptr<const Plan> make_plan(const inventory::Oidset& oidset, const inventory::Correlator& correlator) {
  return Planner(oidset, correlator).make();
}

}  // namespace varve::snmp::walk
