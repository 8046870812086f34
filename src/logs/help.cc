// SPDX-License-Identifier: Apache-2.0
#include "logs/help.h"

#include "language/analytics/tables.h"

namespace varve::logs {
namespace {

// The first three lines are enough to begin with.
constexpr std::string_view kHelp =
    R"(varve logs                                            the messages of the last 10 minutes, oldest first
varve logs -f --where 'Source=web* AND Level<=4'      new ones as they come: of hosts web…, warnings and worse
varve logs --last 1d --keywords timeout --limit 100   the first 100 of a day that have the word timeout

usage: varve logs [--server http://HOST:PORT] [--tenant NAME] [FLAG ...]

which messages
  --last 10m                       30s, 10m, 1h, 2d before now (10m)
  --start-time T, --end-time T     now-1h, 2017-03-02T21:56:40Z, '2017 Mar 02 21:56:40' (local), or microseconds since 1970
  --source A [B ...]               a host; a* for those that begin with a; of several, any
  --module A [B ...]               a program, likewise
  --message-type A [B ...]         a type of messages, likewise
  --keywords a,b*                  words of the text, all of them; their case does not count
  --level err                      this severe or more: emerg alert crit err warning notice info debug, or 0 to 7
  --node-type, --instance-id, --category V
  --where CONDITION                any columns and fields, see below
  --trace NAME                     traces of that name, of a --source and --module
  --object-type T --object-id I    of an object; I* for a prefix; T is a table or one of the names below
  --object-select-field ObjectLog  only messages about objects, or SystemLog: only logs
  --object-values                  the ids of --object-type instead of messages
  --message-types                  the types of messages instead of messages

conditions
  NAME=value  NAME=prefix*  NAME=low<high  NAME!=value  NAME<=n  NAME>=n  NAME~part  NAME=~regex, joined by AND and OR;
  AND binds tighter. Names: Source ModuleId Messagetype Level Category NodeType InstanceId IPAddress Pid Type SequenceNum
  ObjectName Keyword Xmlmessage (the text), and fields by their own names. Values with blanks or * in them need quotes. Examples:
    --where 'Source=a* AND Level<=4 OR Keyword=timeout'
    --where 'user.name=joe AND http.status=500<599 AND Xmlmessage~"GET /index"'

what is printed
  -f, --tail                       goes on with new messages, from 10 seconds back, until Ctrl-C; connects again by itself
  --limit N                        the first N in all
  --reverse                        the newest first
  --format FORMAT                  text      time level source module: text, and all other fields
                                   logfmt    ts=… level=err … msg="…", with all columns and fields
                                   json      one list of rows, with all columns and fields (--json for short); with -f a row on each line
                                   contrail  as contrail-logs prints it, XML on a line
                                   raw       the same with the text as it was sent (--raw for short)
  --fields a,b                     of the fields these; contrail and raw print none without it
  --fields                         alone: only lists the fields that these messages have, each with how many have it
  --output-file FILE
  --send-syslog [--syslog-server HOST] [--syslog-port 514]   over UDP instead of printing
  --verbose                        shows the query

which server
  --server URL                     http://127.0.0.1:8080; also https://user:password@host/path of a proxy (--url is the same)
  --ca FILE                        certificates that the server's is checked with, PEM; those of the system unless it is said
  --tenant NAME
  --analytics-api-ip, --analytics-api-port, --admin-user, --admin-password   the same, as contrail-logs has it
  --conf-file FILE                 flags, one a line: analytics_api_ip = 192.0.2.1

Exit status: 0 done, 1 failed, 2 wrong arguments.

names of --object-type
)";

}  // namespace

std::string help_text() {
  std::string out(kHelp);
  std::string line = " ";
  for (const auto name : language::analytics::short_names()) {
    if (line.size() + name.size() > 118) {
      out += line + "\n";
      line = " ";
    }
    line += " ";
    line += name;
  }
  return out + line + "\n";
}

}  // namespace varve::logs
