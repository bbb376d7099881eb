/**
 * `npm test`: check, scheduling, agent-tables, timelines, controllers, conformance, agent-chaos, host, agent, hostile, clients, readme, contract,
 * infrastructure, browser, package, abuse and integration. A part whose needs are not met says why it is skipped.
 */
import { CHECK } from './check.ts';
import { closing, type Part, reportingPart, runParts, vitestPart } from './parts.ts';
import { withSecondTries } from './second-try.ts';

/** Parts of real processes. */
const real = (part: Part, again: Part['again'] = 'files'): Part => ({ ...part, again });

const fast = await runParts(CHECK, 2);
// They wait far more than they work, each for a host of its own.
const recorded = await runParts(
  [
    reportingPart('test:scheduling'),
    reportingPart('test:agent-tables'),
    real(reportingPart('test:timelines'), 'whole'),
    real(reportingPart('test:controllers'), 'whole'),
    reportingPart('test:conformance'),
  ],
  2,
);
// Those that wait, for a host or for a shell, beside those that work.
const besides = runParts(
  [
    real(vitestPart('test:host')),
    real(vitestPart('test:agent')),
    real(vitestPart('test:hostile')),
    real(vitestPart('test:clients')),
    real(vitestPart('test:readme'), 'whole'),
    vitestPart('test:contract'),
    vitestPart('test:infrastructure'),
    real(vitestPart('test:browser')),
    real(vitestPart('test:package')),
  ],
  2,
);
// It sleeps between its blows, and gives way to all others.
const [chaos, beside] = await Promise.all([
  runParts([real(reportingPart('test:agent-chaos'), 'whole')], 2),
  besides,
]);
const alone = await runParts(
  [
    real(reportingPart('test:abuse'), 'whole'),
    real({ ...vitestPart('test:integration'), apart: 'test-results/integration/processor.json' }),
  ],
  1,
);
process.exitCode = closing(await withSecondTries([...fast, ...recorded, ...chaos, ...beside, ...alone]));
