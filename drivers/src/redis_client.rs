// SPDX-License-Identifier: Apache-2.0
//! One shared Redis connection, pipelines of commands and scripts, and replies written down flat.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Duration;

use redis::io::tcp::TcpSettings;
use redis::{
    Client, ClientTlsConfig, Cmd, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, Pipeline, ServerErrorKind,
    TlsCertificates, Value,
};
use tokio::runtime::{Handle, Runtime};

use crate::cassandra::Tls;
use crate::error::{Failure, Kind};
use crate::ffi::{Slice, elements, free, guard};
use crate::reconnect::Reconnecting;
use crate::request::{Done, Request, start};

/// `drv_redis_options`
#[repr(C)]
pub struct Options {
    url: Slice,
    user: Slice,
    password: Slice,
    tls: Tls,
    connect_timeout_ms: u32,
    request_timeout_ms: u32,
    lazy: bool,
}

/// `drv_command`
#[repr(C)]
pub struct Command {
    script: *const Script,
    args: *const Slice,
    arg_count: usize,
}

/// `drv_redis`
pub struct Redis {
    connection: Arc<Reconnecting>,
    timeout: Duration,
    runtime: Handle,
}

/// `drv_script`
#[derive(Clone)]
pub struct Script {
    lua: Arc<[u8]>,
    sha: Arc<str>,
}

fn file(path: Slice) -> Result<Option<Vec<u8>>, Failure> {
    let Some(path) = (unsafe { path.text() }) else {
        return Ok(None);
    };
    let bytes = std::fs::read(&path).map_err(|error| Failure::new(Kind::Invalid, format!("{path}: {error}")))?;
    Ok(Some(bytes))
}

fn client(options: &Options) -> Result<Client, Failure> {
    let url = unsafe { options.url.text() }.unwrap_or_default();
    let info: ConnectionInfo = url.as_str().into_connection_info()?;
    let mut settings = info.redis_settings().clone();
    if let Some(user) = unsafe { options.user.text() } {
        settings = settings.set_username(user);
    }
    if let Some(password) = unsafe { options.password.text() } {
        settings = settings.set_password(password);
    }
    // A peer that vanished without a word is given up when what we sent is not acknowledged for so long.
    let tcp = TcpSettings::default().set_nodelay(true).set_user_timeout(Duration::from_secs(10));
    let info = info.set_redis_settings(settings.set_skip_set_lib_name()).set_tcp_settings(tcp);
    if !matches!(info.addr(), ConnectionAddr::TcpTls { .. }) {
        return Ok(Client::open(info)?);
    }
    let certificate = file(options.tls.certificate_file)?.zip(file(options.tls.key_file)?);
    let certificates = TlsCertificates {
        client_tls: certificate.map(|(client_cert, client_key)| ClientTlsConfig { client_cert, client_key }),
        root_cert: file(options.tls.ca_file)?,
    };
    Ok(Client::build_with_tls(info, certificates)?)
}

/// # Safety
/// See the header; so for all below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_redis_connect(
    runtime: *const Runtime,
    options: *const Options,
    done: Done<Redis>,
    context: *mut c_void,
    request: *mut *mut Request,
) {
    let handle = unsafe { &*runtime }.handle().clone();
    let runtime = handle.clone();
    let prepare = || {
        let options = unsafe { &*options };
        let client = client(options)?;
        let or = |value: u32, otherwise: u64| Duration::from_millis(if value == 0 { otherwise } else { value.into() });
        let timeout = or(options.request_timeout_ms, 5_000);
        let lazy = options.lazy;
        let connection = Arc::new(Reconnecting::new(client, or(options.connect_timeout_ms, 2_000)));
        Ok(async move {
            if !lazy {
                connection.connect().await?;
            }
            Ok(Some(Redis { connection, timeout, runtime }))
        })
    };
    unsafe { start(&handle, done, context, request, prepare) };
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_redis_free(redis: *mut Redis) {
    unsafe { free(redis) };
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_script_new(lua: Slice) -> *mut Script {
    guard(std::ptr::null_mut(), || {
        let lua = unsafe { lua.bytes() }.unwrap_or_default();
        let sha = sha1_smol::Sha1::from(lua).digest().to_string();
        Box::into_raw(Box::new(Script { lua: lua.into(), sha: sha.into() }))
    })
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_script_free(script: *mut Script) {
    unsafe { free(script) };
}

fn command(args: &[Slice], script: Option<&Script>) -> Cmd {
    let mut command = Cmd::with_capacity(args.len() + 2, 64 * args.len());
    if let Some(script) = script {
        command.arg("EVALSHA").arg(&*script.sha);
    }
    for arg in args {
        command.arg(unsafe { arg.bytes() }.unwrap_or_default());
    }
    command
}

async fn send(connection: &Reconnecting, pipeline: &Pipeline) -> Result<Vec<Value>, Failure> {
    let count = pipeline.len();
    if count == 0 {
        return Ok(Vec::new());
    }
    let values = connection.send(pipeline).await?;
    if values.len() != count {
        return Err(Failure::new(Kind::Internal, format!("{} answers to {count} commands", values.len())));
    }
    Ok(values)
}

/// A command of a script, kept until it is known that the server knows the script.
struct Call {
    place: usize, // in the pipeline
    script: Script,
    command: Cmd,
}

fn unknown_script(value: &Value) -> bool {
    matches!(value, Value::ServerError(error) if error.kind() == Some(ServerErrorKind::NoScript))
}

async fn run(connection: Arc<Reconnecting>, pipeline: Pipeline, calls: Vec<Call>) -> Result<Option<Reply>, Failure> {
    let mut values = send(&connection, &pipeline).await?;
    let again: Vec<Call> = calls.into_iter().filter(|call| unknown_script(&values[call.place])).collect();
    if !again.is_empty() {
        let mut scripts: Vec<&Script> = again.iter().map(|call| &call.script).collect();
        scripts.sort_by(|a, b| a.sha.cmp(&b.sha));
        scripts.dedup_by(|a, b| a.sha == b.sha);
        let mut pipeline = Pipeline::with_capacity(scripts.len() + again.len());
        for script in &scripts {
            pipeline.cmd("SCRIPT").arg("LOAD").arg(&*script.lua);
        }
        for call in &again {
            pipeline.add_command(call.command.clone());
        }
        let answers = send(&connection, &pipeline).await?;
        // A script that does not compile: its own error says more than that it is not known.
        for (script, answer) in scripts.iter().zip(&answers) {
            if let Value::ServerError(error) = answer {
                let text = format!("the script {} was refused: {error}", script.sha);
                return Err(Failure::new(Kind::Invalid, text));
            }
        }
        for (call, answer) in again.iter().zip(answers.into_iter().skip(scripts.len())) {
            values[call.place] = answer;
        }
    }
    Ok(Some(Reply::of(values)))
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_redis_pipeline(
    redis: *const Redis,
    commands: *const Command,
    count: usize,
    timeout_ms: u32,
    done: Done<Reply>,
    context: *mut c_void,
    request: *mut *mut Request,
) {
    let redis = unsafe { &*redis };
    let prepare = || {
        let commands = unsafe { elements(commands, count) };
        let (mut pipeline, mut calls) = (Pipeline::with_capacity(count), Vec::new());
        for (place, given) in commands.iter().enumerate() {
            let script = unsafe { given.script.as_ref() };
            let args = unsafe { elements(given.args, given.arg_count) };
            if args.is_empty() {
                return Err(Failure::new(Kind::Invalid, "a command without words"));
            }
            let command = command(args, script);
            if let Some(script) = script {
                calls.push(Call { place, script: script.clone(), command: command.clone() });
            }
            pipeline.add_command(command);
        }
        let timeout = if timeout_ms == 0 { redis.timeout } else { Duration::from_millis(timeout_ms.into()) };
        let work = run(redis.connection.clone(), pipeline, calls);
        Ok(async move {
            tokio::time::timeout(timeout, work).await.unwrap_or_else(|_| {
                Err(Failure::new(Kind::Timeout, format!("Redis did not answer within {} ms", timeout.as_millis())))
            })
        })
    };
    unsafe { start(&redis.runtime, done, context, request, prepare) };
}

/// `drv_node`
#[repr(C)]
pub struct Node {
    kind: NodeKind,
    integer: i64,
    nodes: usize,
    text: Slice,
}

#[repr(C)]
enum NodeKind {
    Nil = 0,
    Integer = 1,
    Text = 2,
    Array = 3,
    Failed = 4,
}

/// `drv_reply`: the nodes' texts point into `_texts`, whose buffers do not move.
pub struct Reply {
    nodes: Vec<Node>,
    _texts: Vec<Vec<u8>>,
}

impl Reply {
    fn of(values: Vec<Value>) -> Reply {
        let mut reply = Reply { nodes: Vec::with_capacity(values.len()), _texts: Vec::new() };
        values.into_iter().for_each(|value| reply.add(value));
        reply
    }

    fn node(&mut self, kind: NodeKind, integer: i64) {
        self.nodes.push(Node { kind, integer, nodes: 1, text: Slice::ABSENT });
    }

    fn text(&mut self, kind: NodeKind, text: Vec<u8>) {
        self.nodes.push(Node { kind, integer: 0, nodes: 1, text: Slice::of(&text) });
        self._texts.push(text);
    }

    fn list(&mut self, values: Vec<Value>) {
        let root = self.nodes.len();
        self.node(NodeKind::Array, values.len() as i64);
        values.into_iter().for_each(|value| self.add(value));
        self.nodes[root].nodes = self.nodes.len() - root;
    }

    fn add(&mut self, value: Value) {
        match value {
            Value::Int(number) => self.node(NodeKind::Integer, number),
            Value::Boolean(yes) => self.node(NodeKind::Integer, yes.into()),
            Value::BulkString(bytes) | Value::BigNumber(bytes) => self.text(NodeKind::Text, bytes),
            Value::SimpleString(text) | Value::VerbatimString { text, .. } => {
                self.text(NodeKind::Text, text.into_bytes());
            }
            Value::Okay => self.text(NodeKind::Text, b"OK".to_vec()),
            Value::Double(number) => self.text(NodeKind::Text, number.to_string().into_bytes()),
            Value::Array(values) | Value::Set(values) | Value::Push { data: values, .. } => self.list(values),
            Value::Map(pairs) => self.list(pairs.into_iter().flat_map(|(key, value)| [key, value]).collect()),
            Value::Attribute { data, .. } => self.add(*data),
            Value::ServerError(error) => {
                let text = format!("{} {}", error.code(), error.details().unwrap_or_default());
                self.text(NodeKind::Failed, text.into_bytes());
            }
            _ => self.node(NodeKind::Nil, 0),
        }
    }
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_reply_size(reply: *const Reply) -> usize {
    unsafe { reply.as_ref() }.map_or(0, |reply| reply.nodes.len())
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_reply_nodes(reply: *const Reply) -> *const Node {
    unsafe { reply.as_ref() }.map_or(std::ptr::null(), |reply| reply.nodes.as_ptr())
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_reply_free(reply: *mut Reply) {
    unsafe { free(reply) };
}
