// SPDX-License-Identifier: Apache-2.0
// Stream: one accepted TCP connection on its event loop. A protocol derives from it and is called when the socket is
// readable or writable; all calls come from the loop's thread. Asio does not appear in the interface.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace varve::net {

class Loop;
enum class TlsFailure;

struct IoResult {
  std::size_t bytes = 0;
  bool blocked = false;  // nothing to be had now: want_read() or want_write()
  bool ended = false;    // the other side has closed its sending side (reads), or the connection is broken
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream();
  virtual ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // From any thread: runs fn on the loop's thread, at once when this is that thread. False (and fn is dropped) when
  // the loop has ended. fn should keep the stream alive.
  bool dispatch(std::function<void()> fn);
  // The same, on the loop's thread, too, behind what else is ready there.
  bool after_others(std::function<void()> fn);
  [[nodiscard]] bool on_loop_thread() const;

 protected:
  virtual void on_start() = 0;
  virtual void on_readable() = 0;  // once per want_read(); a hang-up is also readable
  virtual void on_writable() = 0;  // once per want_write()
  virtual void on_deadline() = 0;
  virtual void on_drain() = 0;  // the listener stops: finish what is begun, then close()
  virtual void on_close() = 0;  // the socket is gone, whoever closed it; called once
  virtual void on_moved() {}    // on the thread of the new loop, after move_to_bulk()
  // These, and what is dispatched, are guarded: see guard().

  // These do not block. Partial results are normal.
  IoResult read_some(char* to, std::size_t size);
  IoResult write_some(std::string_view first, std::string_view second = {});
  // Has the peer closed the connection? Consumes no bytes.
  [[nodiscard]] bool peek_ended();

  void want_read();  // nothing if it is wanted already
  void want_write();
  [[nodiscard]] bool read_wanted() const;

  // on_deadline() once this much time has passed (rounded up to the listener's tick) unless set again. Costs nothing.
  void set_deadline(std::chrono::milliseconds from_now);
  void clear_deadline();

  // Moves to one of the listener's bulk loops, for good. False, without effect: it is on one already, there are none,
  // it speaks TLS, or a read or write is pending (want_read, want_write). True: nothing may be called before
  // on_moved(), and no other thread may be about to dispatch().
  bool move_to_bulk();

  // Runs a handler of this stream on its loop's thread; an exception is logged and closes the stream.
  void guard(const std::function<void()>& event);

  // Of the other side, without the port; "" if it is gone.
  [[nodiscard]] std::string peer_address() const;

  void close_sending();
  // Whoever closes it from now on resets the connection: its peer is not to take the end for one in order.
  void reset_on_close(bool on);
  void close();
  [[nodiscard]] bool is_open() const;

 private:
  friend class Loop;
  friend class Listener;
  // What the loop calls. The protocol is called once there is a connection that it can use, so not before TLS has
  // shaken hands.
  void begin();
  void drain();
  void deadline_passed();
  void greet();
  void greet_when(bool readable);  // or writable
  void refuse(TlsFailure failure);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve::net
