// SPDX-License-Identifier: Apache-2.0
//! Cassandra and Redis behind the C ABI of `include/varve_drivers.h`, which says who owns what and which thread calls.
//!
//! `ffi` holds what crosses the border, `request` how a piece of work becomes exactly one callback.

mod cassandra;
mod error;
mod ffi;
mod reconnect;
mod redis_client;
mod request;
mod retry;
mod rows;
