import type { ToldShutdown } from '../../rules/shutdown/shutting-down.ts';

/** What the control plane is told of a shutdown. Each method resolves to whether it was accepted, and rejects if another try may be. */
export interface ShutdownApi {
  /** A phase has begun. */
  report(report: ToldShutdown): Promise<boolean>;
  /** No shutdown goes on. */
  end(): Promise<boolean>;
}
