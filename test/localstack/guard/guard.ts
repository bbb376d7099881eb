/** `guard.ts PORT`: the guard in front of the LocalStack at $LS_PORT. */
import { createRoles } from './roles.ts';
import { startGuard } from './server.ts';

const port = Number(process.env['LS_PORT']);
await startGuard({ port, statementsOf: createRoles(`http://127.0.0.1:${port}`) }, Number(process.argv[2]));
