/** What a scenario says, as written in YAML: `docs/simulation.md` explains each field. */
import { CONTROLLER_QUEUES, SCHEDULE_NAMES } from '../../lambdas/controllers.ts';
import type { Configuration } from '../../shared/config/configuration.ts';
import { parseConfiguration } from '../../shared/config/configuration.ts';
import type { Part } from './control-plane-types.ts';
import { EXPECT } from './expectations.ts';
import { CONFIGURATION } from './settings-field.ts';
import {
  choiceField,
  durationField,
  eitherField,
  listField,
  numberField,
  objectField,
  optional,
  readYaml,
  scalarField,
  shareField,
  taggedField,
  textField,
  wholeNumberField,
} from './yaml-fields.ts';

/** Which nodes: of one zone or of these names or of all; of them all, or as many as `count` or `share` say, by chance. */
const TARGET = {
  zone: optional(textField, undefined),
  nodes: optional(listField(textField), undefined),
  count: optional(wholeNumberField(1), undefined),
  share: optional(shareField, undefined),
};
const WHEN = { at: durationField, for: optional(durationField, undefined) };

const RATES = {
  crash: optional(shareField, 0),
  stall: optional(shareField, 0),
  stallFor: optional(durationField, 0),
  throttle: optional(shareField, 0),
  busy: optional(shareField, 0),
  unclear: optional(shareField, 0),
  indexLag: optional(durationField, 0),
  doubleMessage: optional(shareField, 0),
  loseMessage: optional(shareField, 0),
  messageDelay: optional(durationField, 0),
  clockSkew: optional(durationField, 0),
};

const PARTS: readonly Part[] = [...SCHEDULE_NAMES, 'stream', ...CONTROLLER_QUEUES];

const FAULT = taggedField({
  /** Machines send nothing; spread over `over`, so that crashes meet passes and beats at any phase. */
  silence: objectField({ ...TARGET, ...WHEN, over: optional(durationField, 0) }),
  /** Beats get lost on the way, the share growing from `from` to `to`. */
  loss: objectField({ ...TARGET, ...WHEN, from: shareField, to: shareField }),
  /** Machines are silent for `silentFor`, each `every`. */
  flap: objectField({ ...TARGET, ...WHEN, every: durationField, silentFor: durationField }),
  /** What runs is killed, and for the time it takes nothing starts. */
  redeploy: objectField(WHEN),
  /** Parts of the control plane do not run; what comes to them is lost. */
  pause: objectField({ ...WHEN, parts: listField(choiceField(...PARTS)) }),
  /** Faults of the platform under every call of every function. */
  trouble: objectField({ ...WHEN, ...RATES }),
});
export type Fault = ReturnType<typeof FAULT.read>;

const POD = objectField({
  perNode: wholeNumberField(1),
  /** Seconds of the toleration of not-ready and unreachable; `none` has none, `forever` one without end. */
  toleration: scalarField('a duration such as 300s, none, or forever', (value) =>
    value === 'none' || value === 'forever' ? value : wholeSeconds(value),
  ),
});

const wholeSeconds = (value: unknown): number | undefined => {
  const [, amount = '', unit] = /^(\d+)(s|m|h)$/.exec(String(value)) ?? [];
  return unit === undefined ? undefined : Number(amount) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 1);
};

const FLEET = objectField({
  zones: eitherField(listField(textField), wholeNumberField(1)),
  nodesPerZone: wholeNumberField(1),
  beat: optional(
    objectField({
      every: optional(durationField, 10_000),
      jitter: optional(durationField, 0),
      style: optional(choiceField('plain', 'kubelet'), 'kubelet'),
    }),
    { every: 10_000, jitter: 0, style: 'kubelet' as const },
  ),
  /** Clocks of the machines are wrong by up to this, either way. */
  clockSkew: optional(durationField, 0),
  pods: optional(listField(POD), []),
});

const SCENARIO = objectField({
  name: scalarField('a name of small letters, digits and hyphens', (value) =>
    typeof value === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value) ? value : undefined,
  ),
  about: textField,
  seed: optional(numberField('a whole number', Number.isInteger), 1),
  duration: durationField,
  /** Takes long: `simulate all` leaves it out. */
  large: optional(
    scalarField('true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
    false,
  ),
  fleet: FLEET,
  configuration: optional(CONFIGURATION, {}),
  faults: optional(listField(FAULT), []),
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
