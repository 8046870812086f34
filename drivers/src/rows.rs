// SPDX-License-Identifier: Apache-2.0
//! Cells on their way in (`Row`) and out (`Rows`): bytes that C++ encodes and decodes.

use std::fmt;
use std::sync::Arc;

use scylla::client::session::Session;
use scylla::deserialize::row::ColumnIterator;
use scylla::response::PagingState;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use scylla::serialize::SerializationError;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;
use scylla::statement::prepared::PreparedStatement;
use tokio::runtime::Handle;

use crate::error::{Failure, Kind};
use crate::ffi::{Slice, elements, free, guard};

/// The cells of one row, copied: their bytes one after the other, and the end of each; `None` is null.
pub struct Row {
    bytes: Vec<u8>,
    ends: Vec<Option<usize>>,
}

#[derive(Debug)]
struct WrongCount {
    given: usize,
    wanted: usize,
}

impl fmt::Display for WrongCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cells for {} markers", self.given, self.wanted)
    }
}
impl std::error::Error for WrongCount {}

impl Row {
    /// # Safety
    /// `count` slices are readable at `cells`, and their bytes.
    pub unsafe fn copy(cells: *const Slice, count: usize) -> Row {
        let cells = unsafe { elements(cells, count) };
        let cells: Vec<Option<&[u8]>> = cells.iter().map(|cell| unsafe { cell.bytes() }).collect();
        let mut bytes = Vec::with_capacity(cells.iter().flatten().map(|cell| cell.len()).sum());
        let ends = cells.iter().map(|cell| {
            cell.map(|cell| {
                bytes.extend_from_slice(cell);
                bytes.len()
            })
        });
        let ends = ends.collect();
        Row { bytes, ends }
    }
}

impl SerializeRow for Row {
    fn serialize(&self, ctx: &RowSerializationContext<'_>, writer: &mut RowWriter) -> Result<(), SerializationError> {
        if self.ends.len() != ctx.columns().len() {
            let wrong = WrongCount { given: self.ends.len(), wanted: ctx.columns().len() };
            return Err(SerializationError::new(wrong));
        }
        let mut begin = 0;
        for end in &self.ends {
            let cell = writer.make_cell_writer();
            match *end {
                None => {
                    cell.set_null();
                }
                Some(end) => {
                    cell.set_value(&self.bytes[begin..end]).map_err(SerializationError::new)?;
                    begin = end;
                }
            }
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// What it takes to ask for a page.
#[derive(Clone)]
pub struct Page {
    pub session: Arc<Session>,
    pub runtime: Handle,
    pub statement: Arc<PreparedStatement>, // with the options of the request
    pub row: Arc<Row>,
    pub state: PagingState,
}

/// `drv_rows`: the cells point into the response frame, which `_frame` keeps.
pub struct Rows {
    cells: Vec<Slice>,
    columns: usize,
    count: usize,
    pub next: Option<Page>,
    pub runtime: Handle,
    _frame: QueryRowsResult,
}

impl Rows {
    /// None: the statement has no rows to give.
    pub fn of(result: QueryResult, runtime: Handle, next: Option<Page>) -> Result<Option<Rows>, Failure> {
        if !result.is_rows() {
            return Ok(None);
        }
        let broken = |what: &dyn fmt::Display| Failure::new(Kind::Internal, format!("rows cannot be read: {what}"));
        let frame = result.into_rows_result().map_err(|error| broken(&error))?;
        let columns = frame.column_specs().len();
        let mut cells = Vec::with_capacity(frame.rows_num() * columns);
        for row in frame.rows::<ColumnIterator>().map_err(|error| broken(&error))? {
            for column in row.map_err(|error| broken(&error))? {
                let cell = column.map_err(|error| broken(&error))?.slice;
                cells.push(cell.map_or(Slice::ABSENT, |cell| Slice::of(cell.as_slice())));
            }
        }
        Ok(Some(Rows { cells, columns, count: frame.rows_num(), next, runtime, _frame: frame }))
    }
}

/// # Safety
/// See the header; so for all below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_rows_count(rows: *const Rows) -> usize {
    unsafe { rows.as_ref() }.map_or(0, |rows| rows.count)
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_rows_columns(rows: *const Rows) -> usize {
    unsafe { rows.as_ref() }.map_or(0, |rows| rows.columns)
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_rows_cells(rows: *const Rows) -> *const Slice {
    unsafe { rows.as_ref() }.map_or(std::ptr::null(), |rows| rows.cells.as_ptr())
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_rows_more(rows: *const Rows) -> bool {
    guard(false, || unsafe { rows.as_ref() }.is_some_and(|rows| rows.next.is_some()))
}

/// # Safety
/// See the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drv_rows_free(rows: *mut Rows) {
    unsafe { free(rows) };
}
