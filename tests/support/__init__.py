# SPDX-License-Identifier: Apache-2.0
"""What the whole-program tests share: a real server on free ports, clients of every protocol, and waiting with deadlines."""
