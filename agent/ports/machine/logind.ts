/** systemd-logind, which announces shutdowns and delays them for those who hold a lock. */

/** A lock that delays shutdowns. */
export interface InhibitorLock {
  /** Lets a shutdown go on. A lock that is released already stays so. */
  release(): Promise<void>;
}

/** One connection to logind. All calls reject with the error of the machine. */
export interface LogindConnection {
  /** How long logind waits for locks (ms). */
  inhibitDelayMs(): Promise<number>;
  /** Writes the configuration with which logind waits this many seconds. It counts after `reload`. */
  overrideInhibitDelay(seconds: number): Promise<void>;
  /** Makes logind read its configuration. */
  reload(): Promise<void>;
  inhibitShutdown(): Promise<InhibitorLock>;
  /**
   * Announcements from now on: `true`: a shutdown begins; `false`: it is cancelled. None is lost while the reader is busy. They end
   * when the connection does.
   */
  announcements(): Promise<AsyncIterable<boolean>>;
  /** Ends the announcements. Locks stay. */
  close(): Promise<void>;
}

export interface Logind {
  connect(): Promise<LogindConnection>;
}
