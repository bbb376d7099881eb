import { describe, expect, it } from 'vitest';
import type { ContainerStatus } from '../../../../../agent/rules/containers/container-status.ts';
import { known, NOT_KNOWN } from '../../../../../agent/rules/known.ts';
import { type ProbeFinding, probedStatus } from '../../../../../agent/rules/probes/probed-status.ts';

const RUNNING = { running: { startedAt: '2026-01-01T00:00:00Z' } };

const container = (given: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'c',
  image: '',
  imageID: '',
  restartCount: 0,
  containerID: 'fake://1',
  state: RUNNING,
  ready: false,
  ...given,
});

const SPEC = { containers: [{ name: 'c' }] };
const [YES, NO] = [known('Success' as const), known('Failure' as const)];

interface Row {
  readonly startup: ProbeFinding;
  readonly readiness: ProbeFinding;
  /** `started` and `ready` as they were told last of the container. */
  readonly told?: readonly [boolean, boolean];
  readonly toldId?: string;
  readonly state?: ContainerStatus['state'];
  readonly is: readonly [boolean, boolean];
}

const ROWS: readonly Row[] = [
  { startup: 'no probe', readiness: 'no probe', is: [true, true] },
  { startup: 'no probe', readiness: NOT_KNOWN, is: [true, false] },
  { startup: 'no probe', readiness: NOT_KNOWN, told: [true, false], is: [true, false] },
  { startup: 'no probe', readiness: NOT_KNOWN, told: [true, true], is: [true, true] },
  { startup: 'no probe', readiness: NOT_KNOWN, told: [true, true], toldId: 'fake://0', is: [true, false] },
  { startup: 'no probe', readiness: NO, told: [true, true], is: [true, false] },
  { startup: 'no probe', readiness: YES, told: [true, false], is: [true, true] },
  { startup: NOT_KNOWN, readiness: 'no probe', is: [false, false] },
  { startup: NOT_KNOWN, readiness: 'no probe', told: [false, false], is: [false, false] },
  { startup: NOT_KNOWN, readiness: 'no probe', told: [true, true], is: [true, true] },
  { startup: NOT_KNOWN, readiness: 'no probe', told: [true, true], toldId: 'fake://0', is: [false, false] },
  { startup: NOT_KNOWN, readiness: YES, told: [false, false], is: [false, false] },
  { startup: NO, readiness: 'no probe', told: [true, true], is: [false, false] },
  { startup: YES, readiness: NOT_KNOWN, told: [false, false], is: [true, false] },
  { startup: 'no probe', readiness: 'no probe', state: { waiting: {} }, is: [false, false] },
  {
    startup: NOT_KNOWN,
    readiness: NOT_KNOWN,
    told: [true, true],
    state: { terminated: { exitCode: 0 } },
    is: [false, false],
  },
];

describe('probedStatus', () => {
  it.each(ROWS)('$startup, $readiness, told $told of $toldId: $is', (row) => {
    const lookup = (kind: string): ProbeFinding => (kind === 'Startup' ? row.startup : row.readiness);
    const [started, ready] = row.told ?? [];
    const told =
      started === undefined || ready === undefined
        ? []
        : [container({ started, ready, containerID: row.toldId ?? 'fake://1' })];
    const status = { containerStatuses: [container(row.state && { state: row.state })] };
    const after = probedStatus(SPEC, status, lookup, { containerStatuses: told });
    expect(after.containerStatuses).toMatchObject([{ started: row.is[0], ready: row.is[1] }]);
  });

  it('goes on with what was told of a container when its runtime had another name', () => {
    const told = {
      containerStatuses: [container({ containerID: 'process://u/c/0', started: true, ready: true })],
    };
    const status = { containerStatuses: [container({ containerID: 'runc://u/c/0' })] };
    const after = probedStatus(SPEC, status, () => NOT_KNOWN, told);
    expect(after.containerStatuses).toMatchObject([{ started: true, ready: true }]);
  });
});
