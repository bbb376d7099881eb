import { eventually as lookUntil } from '../../support/clocks/eventually.ts';
import { PlatformFailure } from './deployment.ts';

/** Polls the deployed stack. Ignores failures of the platform, and throws all others. */
export const eventually = <T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined | false>,
  seen?: () => unknown,
): Promise<T> =>
  lookUntil(what, withinMs, look, {
    everyMs: 200,
    forgives: (error) => error instanceof PlatformFailure,
    ...(seen ? { seen } : {}),
  });
