// SPDX-License-Identifier: Apache-2.0
//! What crosses the border: slices, owned handles, panics that end here, and the runtime.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use tokio::runtime::{Builder, Handle, Runtime};

/// `drv_slice`: null data is "absent".
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Slice {
    data: *const u8,
    size: usize,
}

// SAFETY: a slice inside `Rows` or `Reply` points into memory that the same object owns and never changes.
unsafe impl Send for Slice {}
unsafe impl Sync for Slice {}

impl Slice {
    pub const ABSENT: Slice = Slice { data: ptr::null(), size: 0 };

    pub fn of(bytes: &[u8]) -> Slice {
        Slice { data: bytes.as_ptr(), size: bytes.len() }
    }

    /// # Safety
    /// The memory is readable for as long as the result is used.
    pub unsafe fn bytes<'a>(self) -> Option<&'a [u8]> {
        if self.data.is_null() {
            return None;
        }
        Some(unsafe { std::slice::from_raw_parts(self.data, self.size) })
    }

    /// # Safety
    /// As `bytes`.
    pub unsafe fn text(self) -> Option<String> {
        unsafe { self.bytes() }.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

/// # Safety
/// `count` elements are readable at `data`, or `count` is 0.
pub unsafe fn elements<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, count) } }
}

/// Runs the body of a C function; a panic gives `otherwise`.
pub fn guard<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// # Safety
/// `handle` came from `Box::into_raw` and is not used again, or is null.
pub unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        guard((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn drv_runtime_new(threads: u32) -> *mut Runtime {
    guard(ptr::null_mut(), || {
        let mut builder = Builder::new_multi_thread();
        if threads > 0 {
            builder.worker_threads(threads as usize);
        }
        let runtime = builder.thread_name("varve-driver").enable_all().build();
        runtime.map_or(ptr::null_mut(), |runtime| Box::into_raw(Box::new(runtime)))
    })
}

/// Dropping a runtime drops every task, and a dropped task calls back: see `request::Completion`.
///
/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_runtime_free(runtime: *mut Runtime) -> bool {
    if runtime.is_null() {
        return true;
    }
    if Handle::try_current().is_ok() {
        return false;
    }
    unsafe { free(runtime) };
    true
}
