// SPDX-License-Identifier: Apache-2.0
//! Sessions, statements and their execution. Values pass through as they are.

use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use openssl::ssl::{SslConnector, SslConnectorBuilder, SslFiletype, SslMethod};
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::client::{Compression, PoolSize};
use scylla::policies::load_balancing::DefaultPolicy;
use scylla::policies::timestamp_generator::{MonotonicTimestampGenerator, TimestampGenerator};
use scylla::response::PagingState;
use scylla::statement::batch::{Batch, BatchType};
use scylla::statement::prepared::PreparedStatement;
use scylla::statement::unprepared::Statement;
use scylla::statement::{Consistency, SerialConsistency};
use tokio::runtime::{Handle, Runtime};

use crate::error::{Failure, Kind};
use crate::ffi::{Slice, elements, free, guard};
use crate::request::{Done, Request, start};
use crate::retry::Patient;
use crate::rows::{Page, Row, Rows};

const CONSISTENCY_DEFAULT: u16 = 0xffff;
const REQUEST_MS: u32 = 10_000;

/// `drv_tls`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Tls {
    pub enabled: bool,
    pub ca_file: Slice,
    pub certificate_file: Slice,
    pub key_file: Slice,
}

/// `drv_cassandra_options`
#[repr(C)]
pub struct Options {
    contact_points: Slice,
    keyspace: Slice,
    local_dc: Slice,
    user: Slice,
    password: Slice,
    tls: Tls,
    consistency: u16,
    request_timeout_ms: u32,
    connect_timeout_ms: u32,
    schema_timeout_ms: u32,
    connections_per_node: u32,
    retries: u32,
    lz4: bool,
}

/// `drv_execute_options`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Execute {
    consistency: u16,
    idempotent: bool,
    has_timestamp: bool,
    timestamp_us: i64,
    page_size: u32,
    timeout_ms: u32,
}

/// `drv_bound`
#[repr(C)]
pub struct Bound {
    statement: *const PreparedStatement,
    cells: *const Slice,
    cell_count: usize,
}

/// `drv_cassandra`
pub struct Cassandra {
    session: Arc<Session>,
    clock: Arc<MonotonicTimestampGenerator>,
    runtime: Handle,
}

fn millis(value: u32, otherwise: u32) -> Duration {
    Duration::from_millis(u64::from(if value == 0 { otherwise } else { value }))
}

fn consistency(number: u16) -> Result<Option<Consistency>, Failure> {
    if number == CONSISTENCY_DEFAULT {
        return Ok(None);
    }
    Consistency::try_from(number)
        .map(Some)
        .map_err(|_| Failure::new(Kind::Invalid, format!("there is no consistency {number}")))
}

fn tls_builder(tls: Tls) -> Result<Option<SslConnectorBuilder>, Failure> {
    let files = [tls.ca_file, tls.certificate_file, tls.key_file].map(|file| unsafe { file.text() });
    if !tls.enabled && files.iter().all(Option::is_none) {
        return Ok(None);
    }
    let [ca, certificate, key] = files;
    let wrong = |what: &str, error: openssl::error::ErrorStack| Failure::new(Kind::Invalid, format!("{what}: {error}"));
    let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(|error| wrong("TLS", error))?;
    if let Some(ca) = ca {
        builder.set_ca_file(&ca).map_err(|error| wrong(&ca, error))?;
    }
    if let Some(certificate) = certificate {
        builder.set_certificate_chain_file(&certificate).map_err(|error| wrong(&certificate, error))?;
    }
    if let Some(key) = key {
        builder.set_private_key_file(&key, SslFiletype::PEM).map_err(|error| wrong(&key, error))?;
    }
    Ok(Some(builder))
}

fn session_builder(options: &Options, clock: &Arc<MonotonicTimestampGenerator>) -> Result<SessionBuilder, Failure> {
    let points = unsafe { options.contact_points.text() }.unwrap_or_default();
    let points: Vec<&str> = points.split(',').map(str::trim).filter(|point| !point.is_empty()).collect();
    let mut policy = DefaultPolicy::builder();
    if let Some(dc) = unsafe { options.local_dc.text() } {
        policy = policy.prefer_datacenter(dc).permit_dc_failover(false);
    }
    let profile = ExecutionProfile::builder()
        .consistency(consistency(options.consistency)?.unwrap_or(Consistency::LocalQuorum))
        .serial_consistency(Some(SerialConsistency::LocalSerial))
        .request_timeout(Some(millis(options.request_timeout_ms, REQUEST_MS)))
        .retry_policy(Arc::new(Patient { retries: options.retries }))
        .load_balancing_policy(policy.build())
        .build();
    let per_node = NonZeroUsize::new(options.connections_per_node as usize).unwrap_or(NonZeroUsize::MIN);
    let mut builder = SessionBuilder::new()
        .known_nodes(points)
        .default_execution_profile_handle(profile.into_handle())
        .connection_timeout(millis(options.connect_timeout_ms, 5_000))
        // A node that hangs while its connections stand is given up after both together.
        .keepalive_interval(Duration::from_secs(5))
        .keepalive_timeout(Duration::from_secs(10))
        .schema_agreement_timeout(millis(options.schema_timeout_ms, 30_000))
        .pool_size(PoolSize::PerHost(per_node))
        .timestamp_generator(clock.clone())
        .compression(options.lz4.then_some(Compression::Lz4))
        .driver_config_reporting(false)
        .tcp_nodelay(true);
    if let Some(user) = unsafe { options.user.text() } {
        builder = builder.user(user, unsafe { options.password.text() }.unwrap_or_default());
    }
    if let Some(keyspace) = unsafe { options.keyspace.text() } {
        builder = builder.use_keyspace(keyspace, true);
    }
    if let Some(tls) = tls_builder(options.tls)? {
        builder = builder.tls_context(Some(tls));
    }
    Ok(builder)
}

/// # Safety
/// See the header; so for all below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_cassandra_connect(
    runtime: *const Runtime,
    options: *const Options,
    done: Done<Cassandra>,
    context: *mut c_void,
    request: *mut *mut Request,
) {
    let handle = unsafe { &*runtime }.handle().clone();
    let owned = handle.clone();
    let prepare = || {
        let clock = Arc::new(MonotonicTimestampGenerator::new().without_warnings());
        let options = unsafe { &*options };
        let builder = session_builder(options, &clock)?;
        let limit = millis(options.request_timeout_ms, REQUEST_MS);
        Ok(async move {
            let session = tokio::time::timeout(limit, builder.build()).await.map_err(|_| {
                Failure::new(Kind::Timeout, format!("no contact point answered within {} ms", limit.as_millis()))
            })??;
            Ok(Some(Cassandra { session: Arc::new(session), clock, runtime: owned }))
        })
    };
    unsafe { start(&handle, done, context, request, prepare) };
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_cassandra_free(session: *mut Cassandra) {
    unsafe { free(session) };
}

/// Options of a request, put into whatever kind of statement has them.
macro_rules! apply {
    ($target:expr, $cassandra:expr, $options:expr) => {{
        let options: &Execute = $options;
        if let Some(consistency) = consistency(options.consistency)? {
            $target.set_consistency(consistency);
        }
        $target.set_is_idempotent(options.idempotent);
        if options.has_timestamp {
            $target.set_timestamp(Some(options.timestamp_us));
        } else if options.idempotent {
            // One timestamp for all attempts: a late first attempt must not win over what was written after it.
            $target.set_timestamp(Some($cassandra.clock.next_timestamp()));
        }
        if options.timeout_ms > 0 {
            $target.set_request_timeout(Some(millis(options.timeout_ms, 0)));
        }
    }};
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_cassandra_query(
    session: *const Cassandra,
    cql: Slice,
    options: *const Execute,
    done: Done<Rows>,
    context: *mut c_void,
    request: *mut *mut Request,
) {
    let cassandra = unsafe { &*session };
    let prepare = || {
        let mut statement = Statement::new(unsafe { cql.text() }.unwrap_or_default());
        apply!(statement, cassandra, unsafe { &*options });
        let (session, runtime) = (cassandra.session.clone(), cassandra.runtime.clone());
        Ok(async move { Rows::of(session.query_unpaged(statement, ()).await?, runtime, None) })
    };
    unsafe { start(&cassandra.runtime, done, context, request, prepare) };
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_cassandra_agree(
    session: *const Cassandra,
    done: Done<Rows>,
    context: *mut c_void,
    request: *mut *mut Request,
) {
    let cassandra = unsafe { &*session };
    let session = cassandra.session.clone();
    let prepare = || {
        Ok(async move {
            session.await_schema_agreement().await?;
            Ok(None)
        })
    };
    unsafe { start(&cassandra.runtime, done, context, request, prepare) };
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_cassandra_prepare(
    session: *const Cassandra,
    cql: Slice,
    done: Done<PreparedStatement>,
    context: *mut c_void,
    request: *mut *mut Request,
) {
    let cassandra = unsafe { &*session };
    let prepare = || {
        let cql = unsafe { cql.text() }.unwrap_or_default();
        let session = cassandra.session.clone();
        Ok(async move { Ok(Some(session.prepare(cql).await?)) })
    };
    unsafe { start(&cassandra.runtime, done, context, request, prepare) };
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_statement_cells(statement: *const PreparedStatement) -> usize {
    guard(0, || unsafe { statement.as_ref() }.map_or(0, |statement| statement.get_variable_col_specs().len()))
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_statement_free(statement: *mut PreparedStatement) {
    unsafe { free(statement) };
}

async fn page(from: Page) -> Result<Option<Rows>, Failure> {
    let (result, response) = from.session.execute_single_page(&from.statement, &*from.row, from.state.clone()).await?;
    let next = match response.into_paging_control_flow() {
        ControlFlow::Break(()) => None,
        ControlFlow::Continue(state) => Some(Page { state, ..from.clone() }),
    };
    Rows::of(result, from.runtime, next)
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_cassandra_execute(
    session: *const Cassandra,
    bound: *const Bound,
    options: *const Execute,
    done: Done<Rows>,
    context: *mut c_void,
    request: *mut *mut Request,
) {
    let cassandra = unsafe { &*session };
    let prepare = || {
        let (bound, options) = unsafe { (&*bound, &*options) };
        let mut statement = unsafe { &*bound.statement }.clone();
        apply!(statement, cassandra, options);
        let row = unsafe { Row::copy(bound.cells, bound.cell_count) };
        let (session, runtime) = (cassandra.session.clone(), cassandra.runtime.clone());
        let paged = options.page_size > 0;
        if paged {
            statement.set_page_size(i32::try_from(options.page_size).unwrap_or(i32::MAX));
        }
        Ok(async move {
            if paged {
                let (statement, row, state) = (Arc::new(statement), Arc::new(row), PagingState::start());
                return page(Page { session, runtime, statement, row, state }).await;
            }
            Rows::of(session.execute_unpaged(&statement, row).await?, runtime, None)
        })
    };
    unsafe { start(&cassandra.runtime, done, context, request, prepare) };
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_rows_next(
    rows: *const Rows,
    done: Done<Rows>,
    context: *mut c_void,
    request: *mut *mut Request,
) {
    let rows = unsafe { &*rows };
    let prepare = || {
        let Some(next) = &rows.next else {
            return Err(Failure::new(Kind::Invalid, "there is no page after this one"));
        };
        Ok(page(next.clone()))
    };
    unsafe { start(&rows.runtime, done, context, request, prepare) };
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_cassandra_batch(
    session: *const Cassandra,
    bound: *const Bound,
    count: usize,
    options: *const Execute,
    done: Done<Rows>,
    context: *mut c_void,
    request: *mut *mut Request,
) {
    let cassandra = unsafe { &*session };
    let prepare = || {
        let bound = unsafe { elements(bound, count) };
        let mut batch = Batch::new(BatchType::Unlogged);
        apply!(batch, cassandra, unsafe { &*options });
        let mut rows = Vec::with_capacity(count);
        for bound in bound {
            batch.append_statement(unsafe { &*bound.statement }.clone());
            rows.push(unsafe { Row::copy(bound.cells, bound.cell_count) });
        }
        let session = cassandra.session.clone();
        Ok(async move {
            session.batch(&batch, rows).await?;
            Ok(None)
        })
    };
    unsafe { start(&cassandra.runtime, done, context, request, prepare) };
}
