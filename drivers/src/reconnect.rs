// SPDX-License-Identifier: Apache-2.0
//! One Redis connection that is made again when it broke: by whoever asks next, and for all who wait meanwhile.
//!
//! The crate has a connection manager of its own; its unfinished reconnection holds itself alive and is never freed, so
//! a runtime that ends while Redis is down would leak.

use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Pipeline, RedisResult, ServerErrorKind, Value};
use tokio::sync::Mutex;

use crate::error::Failure;

pub struct Reconnecting {
    client: Client,
    connect_timeout: Duration,
    slot: Mutex<Slot>,
}

#[derive(Default)]
struct Slot {
    connection: Option<MultiplexedConnection>,
    number: u64, // of the connection; a late word on an earlier one is ignored
    failed: Option<(Instant, Failure)>,
}

impl Reconnecting {
    pub fn new(client: Client, connect_timeout: Duration) -> Self {
        Reconnecting { client, connect_timeout, slot: Mutex::default() }
    }

    /// The connection, made where there is none. An attempt that failed while the caller waited is the caller's too, or
    /// a crowd would try one after the other.
    pub async fn connect(&self) -> Result<(MultiplexedConnection, u64), Failure> {
        let asked = Instant::now();
        let mut slot = self.slot.lock().await;
        if let Some(connection) = &slot.connection {
            return Ok((connection.clone(), slot.number));
        }
        if let Some((when, failure)) = &slot.failed
            && *when > asked
        {
            return Err(failure.clone());
        }
        // Timeouts of answers are not the connection's: each pipeline has its own.
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(self.connect_timeout)).set_response_timeout(None);
        match self.client.get_multiplexed_async_connection_with_config(&config).await {
            Ok(connection) => {
                slot.number += 1;
                slot.connection = Some(connection.clone());
                Ok((connection, slot.number))
            }
            Err(error) => {
                let failure = Failure::from(error);
                slot.failed = Some((Instant::now(), failure.clone()));
                Err(failure)
            }
        }
    }

    /// One answer a command; what the server refused is an answer. A server that is not the primary any more is left: the
    /// address may lead to another one now, and this connection would stay with the old one for ever.
    pub async fn send(&self, pipeline: &Pipeline) -> Result<Vec<Value>, Failure> {
        let (mut connection, number) = self.connect().await?;
        let answers: RedisResult<_> = connection.send_packed_commands(pipeline, 0, pipeline.len()).await;
        let leave = match &answers {
            Err(error) => error.is_unrecoverable_error(),
            Ok(values) => values.iter().any(is_no_primary),
        };
        if leave {
            let mut slot = self.slot.lock().await;
            if slot.number == number {
                slot.connection = None;
            }
        }
        Ok(answers?)
    }
}

fn is_no_primary(value: &Value) -> bool {
    match value {
        Value::ServerError(error) => matches!(
            error.kind(),
            Some(ServerErrorKind::ReadOnly | ServerErrorKind::BusyLoading | ServerErrorKind::MasterDown)
        ),
        _ => false,
    }
}
