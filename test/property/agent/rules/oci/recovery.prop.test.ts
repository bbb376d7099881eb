/**
 * A container of one restart count, while its agent is killed at each step, its keeper dies or comes late, its program ends and the machine
 * boots. The program runs at most once.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { known, NOT_KNOWN } from '../../../../../agent/rules/known.ts';
import {
  type OciState,
  type Recovered,
  recovered,
  type Traces,
} from '../../../../../agent/rules/oci/recovery.ts';

/** The files of one attempt, and what belongs to it. */
interface Attempt {
  /** The keeper was launched and has not worked yet; it may come late. */
  isLaunched: boolean;
  hasKeeper: boolean;
  /** It was killed, or its machine has booted: it says nothing more. */
  isSilenced: boolean;
  state: OciState;
  exit?: { readonly code: number; readonly at: number };
  isDiscarded: boolean;
}

const newAttempt = (): Attempt => ({
  isLaunched: true,
  hasKeeper: false,
  isSilenced: false,
  state: 'nothing',
  isDiscarded: false,
});

type Lives = Pick<Traces, 'runtime' | 'hasKeeper'>;
type Recover = (traces: Traces) => Recovered;

/** What an agent does wrong: it does not store that the program is about to run, or reads the end before it looks for the keeper. */
interface Faults {
  readonly storesNothing?: boolean;
  readonly readsEndFirst?: boolean;
}

const createMachine = (recover: Recover, { storesNothing = false, readsEndFirst = false }: Faults = {}) => {
  let attempt: Attempt | undefined;
  let isStarted = false;
  /** A request to start the program that was sent and not carried out yet. It outlives the agent. */
  let startRequest: Attempt | undefined;
  /** Where the agent is in its start; 0: it reads the traces. */
  let step = 0;
  let runs = 0;
  const before: Attempt[] = [];
  const ends: Recovered[] = [];
  /** Containers that were given up although their keepers would have said how they ended. */
  let wrongs = 0;
  /** The traces are read one after the other, and the machine goes on meanwhile. */
  let seen: Lives | undefined;
  let seenExit: Attempt['exit'];

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
  const livesNow = (isSilent: boolean): Lives => ({
    runtime: isSilent ? NOT_KNOWN : known(attempt?.state ?? 'nothing'),
    hasKeeper: attempt?.hasKeeper ?? false,
  });
  const tracesOf = (lives: Lives): Traces => {
    const exit = readsEndFirst ? seenExit : attempt?.exit;
    return {
      ...lives,
      isStarted: !storesNothing && isStarted,
      ...(exit && { exit }),
      isOutOfMemory: false,
      withoutProgramMs: 0,
    };
  };
  const begin = (): void => {
    if (attempt) {
      attempt.isDiscarded = true;
      before.push(attempt);
      Object.assign(attempt, { hasKeeper: false, state: 'nothing' });
    }
    attempt = newAttempt();
    step = 1;
  };
  const follow = (found: Recovered): void => {
    if (found.is === 'unstarted') begin();
    if (found.is === 'created') startRequest = attempt;
    if (found.is === 'orphaned' && attempt) attempt.state = 'stopped';
    if (found.is === 'lost' && attempt?.isSilenced === false) wrongs += 1;
    if (found.is === 'ended') ends.push(found);
  };
  const decide = (lives: Lives): void => {
    const traces = tracesOf(lives);
    seen = undefined;
    seenExit = attempt?.exit;
    follow(recover(traces));
  };
  const look = (isSilent: boolean): void => {
    if (seen && !readsEndFirst) decide(seen);
    else if (readsEndFirst) decide(livesNow(isSilent));
    else seen = livesNow(isSilent);
  };
  const store = (): void => {
    isStarted = true;
    step = 3;
  };
  const request = (): void => {
    startRequest = attempt;
    step = 0;
  };
  const awaitCreation = (): void => {
    if (attempt?.state === 'created') step = 2;
  };
  const agentSteps = (isSilent: boolean): void =>
    ([() => look(isSilent), awaitCreation, store, request][step] ?? request)();
  return {
    runs: () => runs,
    wrongs: () => wrongs,
    ends: () => ends,
    act: {
      agent: () => agentSteps(false),
      'agent, and the runtime is silent': () => agentSteps(true),
      'agent is killed': () => {
        step = 0;
        seen = undefined;
        seenExit = undefined;
      },
      keeper: () => keeperWorks(attempt),
      'late keeper': () => keeperWorks(before.find(({ isLaunched }) => isLaunched)),
      'keeper is killed': () => {
        if (attempt) Object.assign(attempt, { hasKeeper: false, isSilenced: true });
      },
      'start request': startWorks,
      'program ends': () => {
        if (attempt?.state !== 'running') return;
        attempt.state = 'stopped';
      },
      'keeper stores the end': () => {
        if (attempt?.state === 'stopped' && attempt.hasKeeper) attempt.exit = { code: 3, at: 1 };
      },
      'keeper ends': () => {
        if (attempt?.exit) attempt.hasKeeper = false;
      },
      boot: () => {
        for (const one of [...before, ...(attempt ? [attempt] : [])])
          Object.assign(one, { isLaunched: false, hasKeeper: false, isSilenced: true, state: 'nothing' });
        startRequest = undefined;
        step = 0;
        seen = undefined;
      },
    },
  };
};

type Action = keyof ReturnType<typeof createMachine>['act'];
const ACTIONS = Object.keys(createMachine(recovered).act) as readonly Action[];
/** The agent works more often than all else happens. */
const actions = fc.array(
  fc.oneof({ weight: 2, arbitrary: fc.constant<Action>('agent') }, fc.constantFrom(...ACTIONS)),
  { minLength: 10, maxLength: 200, size: 'max' },
);

const live = (played: readonly Action[], faults: Faults = {}) => {
  const machine = createMachine(recovered, faults);
  for (const one of played) machine.act[one]();
  return machine;
};

it('a program runs at most once, and its end is told with one code', () => {
  fc.assert(
    fc.property(actions, (played) => {
      const machine = live(played);
      expect(machine.runs()).toBeLessThanOrEqual(1);
      expect(machine.wrongs()).toBe(0);
      for (const end of machine.ends()) expect(end).toMatchObject({ code: 3 });
    }),
    { numRuns: 5_000 },
  );
});

it('an agent that does not store that it starts the program would run it twice: the model sees it', () => {
  const found = fc.check(
    fc.property(actions, (played) => live(played, { storesNothing: true }).runs() <= 1),
    { numRuns: 5_000 },
  );
  expect(found.failed).toBe(true);
});

it('an agent that reads the end before it looks for the keeper would lose ends: the model sees it', () => {
  const found = fc.check(
    fc.property(actions, (played) => live(played, { readsEndFirst: true }).wrongs() === 0),
    { numRuns: 20_000 },
  );
  expect(found.failed).toBe(true);
});

it('a container that never ran starts in the end', () => {
  fc.assert(
    fc.property(actions, (played) => {
      const calm: readonly Action[] = [
        'agent is killed',
        ...Array.from({ length: 12 }, () => ['agent', 'keeper', 'start request'] as const).flat(),
      ];
      const machine = live([...played, ...calm]);
      expect(machine.runs()).toBeLessThanOrEqual(1);
      const rested = live([...played.filter((one) => one !== 'boot' && one !== 'keeper is killed'), ...calm]);
      expect(rested.runs()).toBe(1);
    }),
    { numRuns: 2_000 },
  );
});
