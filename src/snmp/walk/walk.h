// SPDX-License-Identifier: Apache-2.0
// Walk: one poll of one agent by a plan, as a state machine: which request comes next, and what an answer says. It
// knows no socket and no clock.
//
//   Walk walk(plan, fit, version, sink);
//   while (walk.next(scratch)) { send(scratch.request); walk.take(answer); }   // take() calls the sink
//   walk.fault()
//
// All columns of a pass start behind the same row, and of an answer only the rows up to where every column has come are
// taken; what one column is ahead is asked again. So the values and names of a row always come in one answer, whatever
// the agent does between two of them.
//
// A request asks for as many rows as the last answers brought (Fit), and for no more than fits into a datagram that
// need not be cut. Where the answer to a large request is lost and that to a small one comes, requests become smaller:
// there are networks that drop fragments. Whatever an agent answers, a walk ends: each answer must bring it forward,
// and rows are bounded.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "snmp/session/binding.h"
#include "snmp/walk/plan.h"

namespace varve::snmp::walk {

// What is remembered of an agent between polls of a plan.
struct PassFit {
  std::uint16_t repetitions = 0;    // of the next request; 0: not known yet
  std::uint16_t most = 0xffff;      // more did not fit
  std::uint8_t groups = 1;          // the values are asked in so many parts, as all together did not fit
  std::uint8_t age = 0;             // answers since `most` was questioned
  bool doubted = false;             // the first request was not answered: is it too large?
  std::uint32_t rows = 0;           // of the last whole pass
  std::vector<bool> needless = {};  // stand-ins that are not asked: every row had the value itself
};
struct Fit {
  std::vector<PassFit> passes = {};
  std::uint16_t scalars = 32;  // in one request
};

enum class Fault : std::uint8_t {
  none,
  timeout,
  not_sent,
  bad_community,
  refused,
  malformed,  // an answer to something else, or none at all
  empty,      // nothing in it
  error_status,
  too_big,         // one row does not fit
  not_increasing,  // the agent goes back, or round
  endless,
  wrong_type,      // left out; the walk goes on
  no_such_object,  // of a scalar; likewise
};
std::string_view to_text(Fault fault);

inline constexpr std::size_t kRowsMax = 200'000;  // of a pass
inline constexpr std::size_t kIndexMax = 128;     // numbers
inline constexpr std::size_t kGroupMax = 60;      // values that are asked together

// A row of a pass, or the part of one whose values are asked by themselves. nullptr: the row has no such value.
struct Row {
  std::size_t pass = 0;
  Name index = {};
  std::span<const session::Binding* const> names = {};   // as the pass' first columns
  std::span<const session::Binding* const> values = {};  // as its columns from `first_value` on; kGroupMax at most
  std::size_t first_value = 0;
  model::Timestamp at = 0;
};

// Takes what a walk finds. Views are valid during the call.
class Sink {
 public:
  virtual void on_uptime(std::uint32_t ticks, model::Timestamp at) = 0;
  virtual void on_scalar(std::uint16_t measure, const session::Binding& value, model::Timestamp at) = 0;
  virtual void on_row(const Row& row) = 0;
  // The pass went to its end.
  virtual void on_whole_pass(std::size_t pass) = 0;

 protected:
  ~Sink() = default;
};

// What the next request points to; one for all walks of a thread.
struct Scratch {
  session::Request request = {};
  std::vector<Arc> arcs = {};
  std::vector<std::size_t> ends = {};
  std::vector<Name> names = {};

  void clear();
  void add(std::span<const Arc> oid, std::span<const Arc> behind = {});
  void close();  // makes the names
};

class Walk {
 public:
  // All must outlive it.
  Walk(const Plan& plan, Fit& fit, session::Version version, Sink& sink);

  // False: it is over.
  bool next(Scratch& scratch);
  void take(const session::Answer& answer);

  // The first thing that was wrong; none: all is well.
  [[nodiscard]] Fault fault() const { return fault_; }
  // The same for a person: "not increasing: ifHCInOctets".
  [[nodiscard]] std::string fault_text() const;
  // Did it end before its end?
  [[nodiscard]] bool is_broken() const { return broken_; }
  // Has the agent answered at all?
  [[nodiscard]] bool has_answer() const { return has_answer_; }

 private:
  struct Asked {
    std::uint16_t column;  // of the pass
    bool is_over = false;
    std::size_t count = 0;  // of bindings of this column in the answer
    std::size_t at = 0;
  };

  [[nodiscard]] const Pass& pass() const { return plan_.passes[pass_]; }
  [[nodiscard]] PassFit& pass_fit() { return fit_.passes[pass_]; }
  [[nodiscard]] const Column& column_of(const Asked& asked) const { return pass().columns[asked.column]; }
  [[nodiscard]] bool in_bulk() const { return version_ != session::Version::v1; }

  void ask_scalars(Scratch& scratch);
  void ask_rows(Scratch& scratch);
  void begin_pass();
  void begin_group();
  [[nodiscard]] std::size_t first_value(unsigned group) const;
  [[nodiscard]] bool is_asked(std::size_t column) const;
  void take_scalars(const session::Answer& answer);
  void take_rows(const session::Answer& answer);
  void take_error(const session::Answer& answer);
  bool take_uptime(const session::Binding& binding, model::Timestamp at);
  // The bindings of one column, from `first` on with this stride; false: the walk is broken.
  bool scan(Asked& asked, std::span<const session::Binding> bindings, std::size_t first, std::size_t repetitions);
  [[nodiscard]] Name index_of(const Asked& asked, std::size_t repetition) const;
  void hand_over(std::optional<Name> limit, model::Timestamp at);
  void advance(std::optional<Name> limit);
  void set_cells(Name index);
  void leave_stand_ins();
  void fit_answer(std::size_t repetitions, bool is_over);
  void fit_stand_ins();
  [[nodiscard]] bool ask_less();
  [[nodiscard]] std::size_t rows_of_a_datagram(std::size_t repetitions) const;
  bool make_smaller();
  void end_group();
  void note(Fault fault, std::string_view of);
  void break_off(Fault fault, std::string_view of = {});
  [[nodiscard]] std::string_view name_of(const Column& column) const;

  const Plan& plan_;
  Fit& fit_;
  const session::Version version_;
  Sink& sink_;

  bool over_ = false, broken_ = false, has_answer_ = false;
  Fault fault_ = Fault::none;
  std::string fault_of_;

  bool in_scalars_ = true;
  bool uptime_asked_ = false;  // it is the first name of the request under way
  bool uptime_done_ = false;
  std::size_t scalar_ = 0, scalars_asked_ = 0;  // sysUpTime is before them
  std::vector<bool> missing_;                   // scalars that a v1 agent said it has not

  std::size_t pass_ = 0;
  unsigned group_ = 0;
  std::vector<Asked> asked_;
  ArcVector cursor_;                            // the row that was taken last; empty: none
  std::size_t rows_ = 0;                        // of the group so far
  unsigned repetitions_ = 0;                    // of the request under way
  unsigned lost_ = 0;                           // those of one that was not answered, while a small one is asked
  std::vector<bool> lacking_;                   // stand-ins of a value that some row does not have
  std::span<const session::Binding> bindings_;  // of the answer that is taken
  std::size_t stride_ = 0, first_ = 0;
  std::vector<const session::Binding*> cells_;
};

}  // namespace varve::snmp::walk
