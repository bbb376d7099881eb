/**
 * A container of one restart count, while its agent is killed at each step, its keeper dies or comes late, its program ends and the machine
 * boots. The program runs at most once.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { known, NOT_KNOWN } from '../../../../../agent/rules/known.ts';
import { type OciState, type Recovered, recovered, type Traces } from '../../../../../agent/rules/oci/recovery.ts';

/** The files of one attempt, and what belongs to it. */
interface Attempt {
  /** The keeper was launched and has not worked yet; it may come late. */
  isLaunched: boolean;
  hasKeeper: boolean;
  state: OciState;
  exit?: { readonly code: number; readonly at: number };
  isDiscarded: boolean;
}

const newAttempt = (): Attempt => ({ isLaunched: true, hasKeeper: false, state: 'nothing', isDiscarded: false });

type Recover = (traces: Traces) => Recovered;

/** `hidesStart`: a runtime agent that stores nothing before it starts the program, and so goes by what the runtime says. */
const createMachine = (recover: Recover, stores: boolean) => {
  let attempt: Attempt | undefined;
  let isStarted = false;
  /** A request to start the program that was sent and not carried out yet. It outlives the agent. */
  let startRequest: Attempt | undefined;
  /** Where the agent is in its start; 0: it reads the traces. */
  let step = 0;
  let runs = 0;
  const before: Attempt[] = [];
  const ends: Recovered[] = [];

  const keeperWorks = (one: Attempt | undefined): void => {
    if (!one?.isLaunched) return;
    one.isLaunched = false;
    // Its bundle is in the trash: there is nothing to create a container from.
    if (one.isDiscarded) return;
    Object.assign(one, { hasKeeper: true, state: 'created' });
  };
  const startWorks = (): void => {
    if (startRequest?.state === 'created') {
      startRequest.state = 'running';
      runs += 1;
    }
    startRequest = undefined;
  };
  const tracesNow = (isSilent: boolean): Traces => ({
    isStarted: stores && isStarted,
    ...(attempt?.exit && { exit: attempt.exit }),
    isOutOfMemory: false,
    runtime: isSilent ? NOT_KNOWN : known(attempt?.state ?? 'nothing'),
    hasKeeper: attempt?.hasKeeper ?? false,
    withoutProgramMs: 0,
  });
  const begin = (): void => {
    if (attempt) {
      attempt.isDiscarded = true;
      before.push(attempt);
      Object.assign(attempt, { hasKeeper: false, state: 'nothing' });
    }
    attempt = newAttempt();
    step = 1;
  };
  const agentSteps = (isSilent: boolean): void => {
    if (step === 0) {
      const found = recover(tracesNow(isSilent));
      if (found.is === 'unstarted') begin();
      else if (found.is === 'created') startRequest = attempt;
      else if (found.is === 'orphaned' && attempt) attempt.state = 'stopped';
      else if (found.is === 'ended') ends.push(found);
    } else if (step === 1) {
      if (attempt?.state === 'created') step = 2;
    } else if (step === 2) {
      isStarted = true;
      step = 3;
    } else {
      startRequest = attempt;
      step = 0;
    }
  };
  return {
    runs: () => runs,
    ends: () => ends,
    act: {
      agent: () => agentSteps(false),
      'agent, and the runtime is silent': () => agentSteps(true),
      'agent is killed': () => {
        step = 0;
      },
      keeper: () => keeperWorks(attempt),
      'late keeper': () => keeperWorks(before.find(({ isLaunched }) => isLaunched)),
      'keeper is killed': () => {
        if (attempt) attempt.hasKeeper = false;
      },
      'start request': startWorks,
      'program ends': () => {
        if (attempt?.state !== 'running') return;
        attempt.state = 'stopped';
        if (attempt.hasKeeper) attempt.exit = { code: 3, at: 1 };
      },
      boot: () => {
        for (const one of [...before, ...(attempt ? [attempt] : [])])
          Object.assign(one, { isLaunched: false, hasKeeper: false, state: 'nothing' });
        startRequest = undefined;
        step = 0;
      },
    },
  };
};

type Action = keyof ReturnType<typeof createMachine>['act'];
const ACTIONS = Object.keys(createMachine(recovered, true).act) as readonly Action[];
/** The agent works more often than all else happens. */
const actions = fc.array(
  fc.oneof({ weight: 2, arbitrary: fc.constant<Action>('agent') }, fc.constantFrom(...ACTIONS)),
  { minLength: 10, maxLength: 80 },
);

const live = (played: readonly Action[], stores: boolean) => {
  const machine = createMachine(recovered, stores);
  for (const one of played) machine.act[one]();
  return machine;
};

it('a program runs at most once, and its end is told with one code', () => {
  fc.assert(
    fc.property(actions, (played) => {
      const machine = live(played, true);
      expect(machine.runs()).toBeLessThanOrEqual(1);
      for (const end of machine.ends()) expect(end).toMatchObject({ code: 3 });
    }),
    { numRuns: 5_000 },
  );
});

it('an agent that does not store that it starts the program would run it twice: the model sees it', () => {
  const found = fc.check(
    fc.property(actions, (played) => live(played, false).runs() <= 1),
    { numRuns: 5_000 },
  );
  expect(found.failed).toBe(true);
});

it('a container that never ran starts in the end', () => {
  fc.assert(
    fc.property(actions, (played) => {
      const calm: readonly Action[] = ['agent is killed', ...Array.from({ length: 12 }, () => ['agent', 'keeper', 'start request'] as const).flat()];
      const machine = live([...played, ...calm], true);
      expect(machine.runs()).toBeLessThanOrEqual(1);
      const rested = live([...played.filter((one) => one !== 'boot' && one !== 'keeper is killed'), ...calm], true);
      expect(rested.runs()).toBe(1);
    }),
    { numRuns: 2_000 },
  );
});
