/** What a scenario says, as written in YAML: `docs/simulation.md` explains each field. */
import type { Configuration } from '../../shared/config/configuration.ts';
import { parseConfiguration } from '../../shared/config/configuration.ts';
import { EXPECT } from './expectations.ts';
import { CONFIGURATION } from './settings-field.ts';
import {
  duration,
  either,
  listOf,
  numeric,
  object,
  oneOf,
  optional,
  readYaml,
  scalar,
  share,
  tagged,
  text,
  whole,
} from './yaml-fields.ts';

/** Which nodes: of one zone or of these names or of all; of them all, or as many as `count` or `share` say, by chance. */
const TARGET = {
  zone: optional(text, undefined),
  nodes: optional(listOf(text), undefined),
  count: optional(whole(1), undefined),
  share: optional(share, undefined),
};
const WHEN = { at: duration, for: optional(duration, undefined) };

const RATES = {
  crash: optional(share, 0),
  stall: optional(share, 0),
  stallFor: optional(duration, 0),
  throttle: optional(share, 0),
  busy: optional(share, 0),
  unclear: optional(share, 0),
  indexLag: optional(duration, 0),
  doubleMessage: optional(share, 0),
  loseMessage: optional(share, 0),
  messageDelay: optional(duration, 0),
  clockSkew: optional(duration, 0),
};

const PARTS = [
  'ticks',
  'sweep',
  'stream',
  'node-monitor-ticks',
  'pod-readiness',
  'eviction-wakeups',
  'taint-eviction',
] as const;

const FAULT = tagged({
  /** Machines send nothing; spread over `over`, so that crashes meet passes and beats at any phase. */
  silence: object({ ...TARGET, ...WHEN, over: optional(duration, 0) }),
  /** Beats get lost on the way, the share growing from `from` to `to`. */
  loss: object({ ...TARGET, ...WHEN, from: share, to: share }),
  /** Machines are silent for `silentFor`, each `every`. */
  flap: object({ ...TARGET, ...WHEN, every: duration, silentFor: duration }),
  /** What runs is killed, and for the time it takes nothing starts. */
  redeploy: object(WHEN),
  /** Parts of the control plane do not run; what comes to them is lost. */
  pause: object({ ...WHEN, parts: listOf(oneOf(...PARTS)) }),
  /** Faults of the platform under every call of every function. */
  trouble: object({ ...WHEN, ...RATES }),
});
export type Fault = ReturnType<typeof FAULT.read>;

const POD = object({
  perNode: whole(1),
  /** Seconds of the toleration of not-ready and unreachable; `none` has none, `forever` one without end. */
  toleration: scalar('a duration such as 300s, none, or forever', (value) =>
    value === 'none' || value === 'forever' ? value : wholeSeconds(value),
  ),
});

const wholeSeconds = (value: unknown): number | undefined => {
  const [, amount = '', unit] = /^(\d+)(s|m|h)$/.exec(String(value)) ?? [];
  return unit === undefined ? undefined : Number(amount) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 1);
};

const FLEET = object({
  zones: either(listOf(text), whole(1)),
  nodesPerZone: whole(1),
  beat: optional(
    object({
      every: optional(duration, 10_000),
      jitter: optional(duration, 0),
      style: optional(oneOf('plain', 'kubelet'), 'kubelet'),
    }),
    { every: 10_000, jitter: 0, style: 'kubelet' as const },
  ),
  /** Clocks of the machines are wrong by up to this, either way. */
  clockSkew: optional(duration, 0),
  pods: optional(listOf(POD), []),
});

const SCENARIO = object({
  name: scalar('a name of small letters, digits and hyphens', (value) =>
    typeof value === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value) ? value : undefined,
  ),
  about: text,
  seed: optional(numeric('a whole number', Number.isInteger), 1),
  duration: duration,
  /** Takes long: `simulate all` leaves it out. */
  large: optional(
    scalar('true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
    false,
  ),
  fleet: FLEET,
  configuration: optional(CONFIGURATION, {}),
  faults: optional(listOf(FAULT), []),
  expect: optional(EXPECT, undefined),
});
export type Scenario = ReturnType<typeof SCENARIO.read>;

/** Reads a scenario. Throws a `ScenarioError`. */
export const parseScenario = (source: string, file: string): Scenario => readYaml(source, file, SCENARIO);

/** The configuration of a scenario with settings given on top. Throws an `InvalidSettingsError`. */
export const configurationOf = (
  settings: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): Configuration => parseConfiguration({ ...settings, ...more });
