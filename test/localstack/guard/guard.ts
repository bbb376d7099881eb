/**
 * `guard.ts PORT`: the guard in front of the LocalStack at $LS_PORT. $LS_GUARD_FAULTS is the share of requests that have a fault, and
 * $ROLLCALL_SEED makes the faults of a run those of another one, as far as requests come in the same order.
 */
import { createChance } from '../../../shared/adapters/hostile/chance.ts';
import { createFaults } from './faults.ts';
import { createRoles } from './roles.ts';
import { startGuard } from './server.ts';

const { LS_PORT, LS_GUARD_FAULTS = '0', ROLLCALL_SEED = '0' } = process.env;
const port = Number(LS_PORT);
await startGuard(
  {
    port,
    roles: createRoles(`http://127.0.0.1:${port}`),
    drawFault: createFaults(Number(LS_GUARD_FAULTS), createChance(Number(ROLLCALL_SEED))),
  },
  Number(process.argv[2]),
);
