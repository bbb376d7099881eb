/** The service manager of Windows, which ends services in order before the machine goes down. */

/** The agent's own service. All calls reject with the error of the machine. */
export interface WindowsService {
  readonly name: string;
  /** The services that this one depends on. */
  dependencies(): Promise<readonly string[]>;
  /** The services that end first, in this order (`PreshutdownOrder` of the registry). */
  preshutdownOrder(): Promise<readonly string[]>;
  setPreshutdownOrder(order: readonly string[]): Promise<void>;
  /** How long Windows waits for this service (ms). */
  preshutdownTimeoutMs(): Promise<number>;
  setPreshutdownTimeout(ms: number): Promise<void>;
  /** Calls `handler` when Windows begins to shut down. Windows waits until it resolves, or the time is over. Returns how to undo it. */
  onPreshutdown(handler: () => Promise<void>): () => void;
}

export interface WindowsServices {
  /** The service as which this process runs; `undefined` if it was started otherwise. */
  own(): Promise<WindowsService | undefined>;
}
