// SPDX-License-Identifier: Apache-2.0
//! A piece of work becomes a task, and the task exactly one callback.
//!
//! The callback lives in the task as a `Completion`. When the work is done it is fired with the outcome; when the task
//! is dropped before (cancelled, its runtime ended, a panic) it is fired by its `Drop`. There is no third way out.

use std::ffi::c_void;
use std::future::Future;
use std::ptr;

use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use crate::error::{Failure, Kind};
use crate::ffi::{Slice, free, guard};

/// `drv_error`
#[repr(C)]
pub struct CError {
    code: Kind,
    message: Slice,
}

pub type Done<T> = extern "C" fn(*mut c_void, *const CError, *mut T);

pub struct Completion<T> {
    done: Option<Done<T>>,
    context: *mut c_void,
}

// SAFETY: the context is the caller's; the header says that callbacks come on other threads.
unsafe impl<T> Send for Completion<T> {}

impl<T> Completion<T> {
    pub fn new(done: Done<T>, context: *mut c_void) -> Self {
        Completion { done: Some(done), context }
    }

    fn finish(mut self, outcome: Result<Option<T>, Failure>) {
        match outcome {
            Ok(value) => {
                if let Some(done) = self.done.take() {
                    done(self.context, ptr::null(), value.map_or(ptr::null_mut(), |v| Box::into_raw(Box::new(v))));
                }
            }
            Err(failure) => self.fail(&failure),
        }
    }

    fn fail(&mut self, failure: &Failure) {
        if let Some(done) = self.done.take() {
            let error = CError { code: failure.kind, message: Slice::of(failure.text.as_bytes()) };
            done(self.context, &error, ptr::null_mut());
        }
    }
}

impl<T> Drop for Completion<T> {
    fn drop(&mut self) {
        if self.done.is_some() {
            self.fail(&if std::thread::panicking() {
                Failure::new(Kind::Internal, "the driver panicked")
            } else {
                Failure::new(Kind::Cancelled, "the request was cancelled")
            });
        }
    }
}

/// `drv_request`
pub struct Request(AbortHandle);

/// Runs `prepare` now, on the caller's thread, to copy what the caller owns; then its work, on the runtime.
///
/// # Safety
/// `request` is null or may be written to.
pub unsafe fn start<T, W>(
    runtime: &Handle,
    done: Done<T>,
    context: *mut c_void,
    request: *mut *mut Request,
    prepare: impl FnOnce() -> Result<W, Failure>,
) where
    T: 'static,
    W: Future<Output = Result<Option<T>, Failure>> + Send + 'static,
{
    let completion = Completion::new(done, context);
    let task = guard(None, || {
        let work = prepare();
        Some(runtime.spawn(async move {
            let outcome = match work {
                Ok(work) => work.await,
                Err(failure) => Err(failure),
            };
            completion.finish(outcome);
        }))
    });
    if !request.is_null() {
        let handle = task.map(|task| Box::new(Request(task.abort_handle())));
        unsafe { *request = handle.map_or(ptr::null_mut(), Box::into_raw) };
    }
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_request_cancel(request: *const Request) {
    if let Some(request) = unsafe { request.as_ref() } {
        guard((), || request.0.abort());
    }
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_request_free(request: *mut Request) {
    unsafe { free(request) };
}
