/** The signals that a container may be ended with, in the order of their numbers in the CRI. Source of names and numbers: Container Runtime Interface `runtime.v1`. */

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

export const SIGNALS: readonly string[] = [
  ...['RUNTIME_DEFAULT', 'SIGABRT', 'SIGALRM', 'SIGBUS', 'SIGCHLD', 'SIGCLD', 'SIGCONT', 'SIGFPE', 'SIGHUP'],
  ...['SIGILL', 'SIGINT', 'SIGIO', 'SIGIOT', 'SIGKILL', 'SIGPIPE', 'SIGPOLL', 'SIGPROF', 'SIGPWR', 'SIGQUIT'],
  ...['SIGSEGV', 'SIGSTKFLT', 'SIGSTOP', 'SIGSYS', 'SIGTERM', 'SIGTRAP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU'],
  ...['SIGURG', 'SIGUSR1', 'SIGUSR2', 'SIGVTALRM', 'SIGWINCH', 'SIGXCPU', 'SIGXFSZ', 'SIGRTMIN'],
  ...upTo(15).map((count) => `SIGRTMINPLUS${count}`),
  ...upTo(14).map((count) => `SIGRTMAXMINUS${15 - count}`),
  'SIGRTMAX',
];
