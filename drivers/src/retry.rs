// SPDX-License-Identifier: Apache-2.0
//! The driver's own retry policy, and for idempotent requests a few more attempts after a timeout at the server.
//!
//! A loaded Cassandra answers single writes with WriteTimeout; the library leaves these to the caller. An idempotent
//! write with one timestamp may simply be sent again, and that is cheaper here than through all layers above.

use scylla::errors::{DbError, RequestAttemptError};
use scylla::policies::retry::{DefaultRetryPolicy, RequestInfo, RetryDecision, RetryPolicy, RetrySession};

#[derive(Debug)]
pub struct Patient {
    pub retries: u32,
}

struct PatientSession {
    retries: u32,
    left: u32,
    inner: Box<dyn RetrySession>,
}

impl RetryPolicy for Patient {
    fn new_session(&self) -> Box<dyn RetrySession> {
        let inner = DefaultRetryPolicy::new().new_session();
        Box::new(PatientSession { retries: self.retries, left: self.retries, inner })
    }
}

impl RetrySession for PatientSession {
    fn decide_should_retry(&mut self, info: RequestInfo) -> RetryDecision {
        let timed_out = matches!(
            info.error,
            RequestAttemptError::DbError(DbError::WriteTimeout { .. } | DbError::ReadTimeout { .. }, _)
        );
        if timed_out && info.is_idempotent && self.left > 0 {
            self.left -= 1;
            return RetryDecision::RetrySameTarget(None);
        }
        self.inner.decide_should_retry(info)
    }

    fn reset(&mut self) {
        self.left = self.retries;
        self.inner.reset();
    }
}
