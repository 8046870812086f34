# SPDX-License-Identifier: Apache-2.0
"""The driver against a real Cassandra: src/driver/cassandra_live.cc, with a node that is paused, killed and started."""

from support.live import CassandraCase


class Driver(CassandraCase):
    secure = True

    def test_live(self):
        self.run_live("driver_live")
