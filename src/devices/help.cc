// SPDX-License-Identifier: Apache-2.0
#include "devices/help.h"

namespace varve::devices {

std::string_view help_text() {
  // The first lines are enough to begin with.
  return R"(varve device add core1 --address 192.0.2.1           a router is polled: traffic, errors, names and speeds of its interfaces
varve device list                                   all devices, whether they answer, and when they were polled
varve device poll core1                             asks it now and prints every object with the name it is stored under

usage: varve device VERB [--server http://127.0.0.1:8080] [--tenant NAME] [FLAG ...]
  --server URL                     also https://user:password@host/path of a proxy; --ca FILE: certificates that its own is checked with

one device; NAME is any text of up to 255 bytes
  add NAME --address HOST[:PORT] [FLAG ...]
  set NAME [FLAG ...]              changes what the flags name, and nothing else
  show NAME [--json]
  remove NAME                      it is polled no more; what was stored stays
  poll NAME [OIDSET] [--json]      one poll now, of all its oidsets or of this one; nothing is stored

flags of add and set
  --address HOST[:PORT]            of the agent; port 161 unless it is said; [::1]:161 for IPv6
  --credential NAME                how the agent knows us: a name in the server's file snmp.credentials (default)
  --oidset NAME                    what is polled; several times for several. Unless it is said: FastPollHC, Errors and IfRefPoll
  --tag KEY=VALUE                  a note for people and for queries of usage; several times; KEY= removes it (set)
  --begin T, --end T               polled from and until then: 2026-11-25, 2026-11-25T12:00:00Z or ms since 1970; none: no limit
  --inactive, --active             not polled; polled

what interfaces carried
  usage [FLAG ...]                 a line for each interface: bits per second on average, at most, and the 95th percentile
  --begin T, --end T               of this time, written as above; the last day unless it is said
  --device NAME, --interface NAME  only these; several times for several
  --alias TEXT                     only those whose ifAlias has this in it
  --tag KEY=VALUE                  only of devices with this tag; several times: with all of them
  --sort in.p95 --limit 10         the busiest: in or out, and bytes, average, max, p95 or utilisation
  --agg SECONDS                    of bins of this width (300)
  --sum                            also all of them together
  --csv, --json                    for other programs; rates in bytes per second

all of them
  list [--json]
  import FILE [--prune] [--check]  YAML or JSON; adds and changes what the file names, - is the standard input
                                   --prune removes what the file does not have; --check only says what would change
  export                           everything that import takes, as JSON

a file: oidsets and correlators of your own may stand beside devices (docs/snmp.md)
  devices:
    core1: {address: 192.0.2.1, credential: core, oidsets: [FastPollHC, Errors, IfRefPoll], tags: {site: oslo}}
    core2: {address: "192.0.2.2:1161"}
  oidsets:
    FastPollHC: {frequency: 10s}
  varve device import network.yaml --check && varve device import network.yaml
esmond's own fixtures (dumpdata) are taken, too; their communities become names of credentials to be filled in.

Exit status: 0 done, 1 failed, 2 wrong arguments.
)";
}

}  // namespace varve::devices
