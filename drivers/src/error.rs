// SPDX-License-Identifier: Apache-2.0
//! Two libraries' errors as the few codes that a caller decides by.

use redis::{ErrorKind, RedisError, ServerErrorKind};
use scylla::errors::{
    ConnectionError, ConnectionPoolError, ConnectionSetupRequestErrorKind, DbError, ExecutionError, MetadataError,
    NewSessionError, PrepareError, RequestAttemptError, SchemaAgreementError, UseKeyspaceError,
};

/// `drv_code`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Invalid = 1,
    Auth = 2,
    Schema = 3,
    Unavailable = 4,
    Overloaded = 5,
    Timeout = 6,
    Io = 7,
    Cancelled = 8,
    Internal = 9,
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: Kind,
    pub text: String,
}

impl Failure {
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Failure { kind, text: text.into() }
    }
}

fn of_database(error: &DbError) -> Kind {
    match error {
        DbError::SyntaxError | DbError::Invalid | DbError::FunctionFailure { .. } => Kind::Invalid,
        DbError::AlreadyExists { .. } | DbError::ConfigError => Kind::Schema,
        DbError::AuthenticationError | DbError::Unauthorized => Kind::Auth,
        DbError::Overloaded | DbError::RateLimitReached { .. } => Kind::Overloaded,
        DbError::ReadTimeout { .. } | DbError::WriteTimeout { .. } => Kind::Timeout,
        DbError::Unavailable { .. }
        | DbError::IsBootstrapping
        | DbError::TruncateError
        | DbError::ReadFailure { .. }
        | DbError::WriteFailure { .. }
        | DbError::ServerError => Kind::Unavailable,
        _ => Kind::Internal,
    }
}

fn of_attempt(error: &RequestAttemptError) -> Kind {
    match error {
        RequestAttemptError::DbError(error, _) => of_database(error),
        RequestAttemptError::SerializationError(_) | RequestAttemptError::CqlRequestSerialization(_) => Kind::Invalid,
        RequestAttemptError::UnableToAllocStreamId => Kind::Overloaded,
        RequestAttemptError::BrokenConnectionError(_) => Kind::Io,
        _ => Kind::Internal,
    }
}

fn of_connection(error: &ConnectionError) -> Kind {
    match error {
        ConnectionError::ConnectTimeout => Kind::Timeout,
        ConnectionError::UseKeyspaceError(error) => of_keyspace(error),
        ConnectionError::ConnectionSetupRequestError(error) => match error.get_error() {
            ConnectionSetupRequestErrorKind::DbError(error, _) => of_database(error),
            ConnectionSetupRequestErrorKind::MissingAuthentication
            | ConnectionSetupRequestErrorKind::StartAuthSessionError(_)
            | ConnectionSetupRequestErrorKind::AuthChallengeEvaluationError(_)
            | ConnectionSetupRequestErrorKind::AuthFinishError(_) => Kind::Auth,
            _ => Kind::Io,
        },
        _ => Kind::Io,
    }
}

fn of_pool(error: &ConnectionPoolError) -> Kind {
    match error {
        ConnectionPoolError::Broken { last_connection_error } => of_connection(last_connection_error),
        _ => Kind::Io,
    }
}

fn of_prepare(error: &PrepareError) -> Kind {
    match error {
        PrepareError::ConnectionPoolError(error) => of_pool(error),
        PrepareError::AllAttemptsFailed { first_attempt } => of_attempt(first_attempt),
        _ => Kind::Internal,
    }
}

fn of_keyspace(error: &UseKeyspaceError) -> Kind {
    match error {
        // A keyspace that is not there is, for the server, an invalid request.
        UseKeyspaceError::RequestError(error) => match of_attempt(error) {
            Kind::Invalid => Kind::Schema,
            kind => kind,
        },
        UseKeyspaceError::RequestTimeout(_) => Kind::Timeout,
        _ => Kind::Invalid,
    }
}

impl From<SchemaAgreementError> for Failure {
    fn from(error: SchemaAgreementError) -> Self {
        let kind = match &error {
            SchemaAgreementError::ConnectionPoolError(error) => of_pool(error),
            SchemaAgreementError::PrepareError(error) => of_prepare(error),
            SchemaAgreementError::RequestError(error) => of_attempt(error),
            SchemaAgreementError::Timeout(_) => Kind::Schema,
            SchemaAgreementError::RequiredHostAbsent(_) => Kind::Unavailable,
            _ => Kind::Internal,
        };
        Failure::new(kind, error.to_string())
    }
}

impl From<PrepareError> for Failure {
    fn from(error: PrepareError) -> Self {
        Failure::new(of_prepare(&error), error.to_string())
    }
}

impl From<NewSessionError> for Failure {
    fn from(error: NewSessionError) -> Self {
        let kind = match &error {
            NewSessionError::FailedToResolveAnyHostname(_) => Kind::Io,
            NewSessionError::MetadataError(MetadataError::ConnectionPoolError(error)) => of_pool(error),
            NewSessionError::MetadataError(_) => Kind::Unavailable,
            NewSessionError::UseKeyspaceError(error) => of_keyspace(error),
            _ => Kind::Invalid,
        };
        Failure::new(kind, error.to_string())
    }
}

impl From<ExecutionError> for Failure {
    fn from(error: ExecutionError) -> Self {
        let kind = match error {
            ExecutionError::BadQuery(_) => Kind::Invalid,
            ExecutionError::EmptyPlan => Kind::Unavailable,
            ExecutionError::PrepareError(ref error) => of_prepare(error),
            ExecutionError::ConnectionPoolError(ref error) => of_pool(error),
            ExecutionError::LastAttemptError(ref error) => of_attempt(error),
            ExecutionError::RequestTimeout(_) => Kind::Timeout,
            ExecutionError::UseKeyspaceError(ref error) => of_keyspace(error),
            ExecutionError::SchemaAgreementError(error) => return error.into(),
            ExecutionError::MetadataError(_) => Kind::Unavailable,
            _ => Kind::Internal,
        };
        Failure::new(kind, error.to_string())
    }
}

impl From<RedisError> for Failure {
    fn from(error: RedisError) -> Self {
        let kind = match error.kind() {
            ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm) => Kind::Auth,
            ErrorKind::InvalidClientConfig | ErrorKind::Client => Kind::Invalid,
            ErrorKind::Io if error.is_timeout() => Kind::Timeout,
            ErrorKind::Io => Kind::Io,
            ErrorKind::Server(
                ServerErrorKind::BusyLoading
                | ServerErrorKind::ReadOnly
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::TryAgain,
            ) => Kind::Unavailable,
            ErrorKind::Server(_) | ErrorKind::Extension => match error.code() {
                Some("NOAUTH" | "WRONGPASS") => Kind::Auth,
                Some("OOM" | "BUSY" | "MISCONF" | "NOREPLICAS") => Kind::Unavailable,
                _ => Kind::Invalid,
            },
            _ => Kind::Internal,
        };
        Failure::new(kind, error.to_string())
    }
}
