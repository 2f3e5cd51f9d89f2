//! The priority of threads of this program.

/// Lets the calling thread run only where a CPU would be idle, or nearly so (SCHED_IDLE, sched(7)): it preempts no other thread. Needs no
/// right.
pub fn only_idle_time() {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the sched_param is valid and outlives the call; to Linux, 0 means the calling thread.
    let _ = unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &parameters) };
}
