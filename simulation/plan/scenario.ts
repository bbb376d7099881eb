/** The YAML format of scenarios. `docs/simulation.md` explains each field. */

import { CONTROLLER_QUEUES, SCHEDULE_NAMES } from '../../lambdas/controllers.ts';
import { HOLD_CLASSES } from '../../shared/kube/types/hold.ts';
import { canonicalQuantity } from '../../shared/kube/values/quantity.ts';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import { parseConfiguration } from '../../shared/settings/aws/configuration.ts';
import { DEFAULTS } from '../../shared/settings/defaults.ts';
import type { Part } from '../plane/control-plane-types.ts';
import { EXPECT } from './expectations.ts';
import { POLICIES } from './policies.ts';
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

/** The nodes of a fault: all, those of a zone or those with these names; of them `count` or a `share`, chosen at random. */
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
  /** Machines send nothing. Their silences begin at random instants within `over`. */
  silence: objectField({ ...TARGET, ...WHEN, over: optional(durationField, 0) }),
  /** Heartbeats are lost on the network. The lost share changes from `from` to `to`. */
  loss: objectField({ ...TARGET, ...WHEN, from: shareField, to: shareField }),
  /** In each period of `every`, machines are silent for `silentFor`. */
  flap: objectField({ ...TARGET, ...WHEN, every: durationField, silentFor: durationField }),
  /** Running invocations are killed, and none can start until it ends. */
  redeploy: objectField(WHEN),
  /** Batches of a relay do not arrive: its site is cut off. */
  cutUplink: objectField({ relay: textField, ...WHEN }),
  /** Parts of the control plane do not run. Their messages and changes are lost. */
  pause: objectField({ ...WHEN, parts: listField(choiceField(...PARTS)) }),
  /** Faults of the platform in the calls of all functions. */
  trouble: objectField({ ...WHEN, ...RATES }),
});
/** A fault of a scenario. Durations in ms. */
export type Fault = ReturnType<typeof FAULT.read>;

/** Toleration of not-ready and unreachable in seconds; `none`: no toleration, `forever`: one without end. */
const TOLERATION = scalarField('a duration such as 300s, none, or forever', (value) =>
  value === 'none' || value === 'forever' ? value : wholeSeconds(value),
);
const POD = objectField({ perNode: wholeNumberField(1), toleration: TOLERATION });

const NAME = scalarField('a name of small letters, digits and hyphens', (value) =>
  typeof value === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value) ? value : undefined,
);

/** As text, so that a number such as 4 is one as well. */
const QUANTITY = scalarField('a quantity such as 4, 100m or 16Gi', (value) =>
  ['string', 'number'].includes(typeof value) ? canonicalQuantity(String(value)) : undefined,
);

const TRUE_OR_FALSE = scalarField('true or false', (value) =>
  typeof value === 'boolean' ? value : undefined,
);

/** Its pods are placed by the scheduler and made again when they are evicted. */
const WORKLOAD = objectField({
  name: NAME,
  /** It is made at the start. */
  namespace: optional(NAME, 'default'),
  kind: optional(choiceField('ReplicaSet', 'Deployment', 'DaemonSet', 'StatefulSet'), 'ReplicaSet'),
  /** A DaemonSet has a pod on each node instead. */
  replicas: optional(wholeNumberField(1), 1),
  /** Absent: what the API gives to pods without a toleration. */
  toleration: optional(TOLERATION, undefined),
  /** Each pod of a StatefulSet has a volume of its own, which one node at a time may have. */
  volumes: optional(TRUE_OR_FALSE, false),
  /** What each pod requests. */
  cpu: optional(QUANTITY, '100m'),
  memory: optional(QUANTITY, '128Mi'),
});

/** What users and machines do, besides faults. */
const ACTION = taggedField({
  /** A workload gets a template with another image. */
  rollout: objectField({ workload: NAME, at: durationField }),
  /** A workload is deleted. The garbage collector deletes what it owns. */
  delete: objectField({ workload: NAME, at: durationField }),
  /** A namespace is deleted, with all workloads in it. */
  deleteNamespace: objectField({ namespace: NAME, at: durationField }),
  /** Machines register. Their names go on after those of the zone. */
  join: objectField({ zone: textField, count: optional(wholeNumberField(1), 1), at: durationField }),
  /** The Nodes of these machines are deleted. */
  leave: objectField({ nodes: listField(textField), at: durationField }),
  /** A workload gets a PodDisruptionBudget. */
  budget: objectField({ workload: NAME, maxUnavailable: wholeNumberField(0), at: durationField }),
  /** Somebody has the control plane drain these nodes. Without `timeout` the drains never give up. */
  drain: objectField({
    nodes: listField(textField),
    at: durationField,
    timeout: optional(durationField, undefined),
  }),
  /** These machines shut down, and end their pods in phases of so long each. That they fall silent is a fault of its own. */
  shutDown: objectField({
    nodes: listField(textField),
    at: durationField,
    phases: listField(durationField),
  }),
  /** The nodes of a zone are drained in a window, at most so many at the same time. */
  maintain: objectField({
    zone: textField,
    atOnce: wholeNumberField(1),
    at: durationField,
    for: durationField,
  }),
  /** An operator makes a Hold, and deletes it once `for` is over; without `for` it stays until `resume`. */
  hold: objectField({
    name: optional(NAME, 'hold'),
    zones: optional(listField(textField), undefined),
    stops: optional(listField(choiceField(...HOLD_CLASSES)), undefined),
    at: durationField,
    for: optional(durationField, undefined),
  }),
  /** An operator deletes a Hold. */
  resume: objectField({ name: optional(NAME, 'hold'), at: durationField }),
  /** Somebody says that these machines are off, by the taint `node.kubernetes.io/out-of-service`. */
  outOfService: objectField({ nodes: listField(textField), at: durationField }),
  /** The cloud says that it has ended these machines. That they fall silent is a fault of its own. */
  terminate: objectField({ nodes: listField(textField), at: durationField }),
  /** The cloud says that it has stopped these machines. That they fall silent is a fault of its own. */
  stop: objectField({ nodes: listField(textField), at: durationField }),
  /** The cloud warns that it ends these Spot instances, and does so two minutes later. */
  interrupt: objectField({ nodes: listField(textField), at: durationField }),
});
/** An action of a scenario. `at` in ms. */
export type Action = ReturnType<typeof ACTION.read>;

const wholeSeconds = (value: unknown): number | undefined => {
  const [, amount = '', unit] = /^(\d+)(s|m|h)$/.exec(String(value)) ?? [];
  return unit === undefined ? undefined : Number(amount) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 1);
};

const BEAT_MS = DEFAULTS.heartbeatIntervalSeconds * 1000;

const FLEET = objectField({
  zones: eitherField(listField(textField), wholeNumberField(1)),
  nodesPerZone: wholeNumberField(1),
  beat: optional(
    objectField({
      every: optional(durationField, BEAT_MS),
      jitter: optional(durationField, 0),
      style: optional(choiceField('plain', 'kubelet'), 'kubelet'),
    }),
    { every: BEAT_MS, jitter: 0, style: 'kubelet' as const },
  ),
  /** The clocks of machines are wrong by at most this (ms), in either direction. */
  clockSkew: optional(durationField, 0),
  /** All machines of a zone beat through its relay. */
  relays: optional(listField(objectField({ name: NAME, zone: textField })), []),
  /** What a machine has for pods of workloads. */
  room: optional(
    objectField({
      cpu: optional(QUANTITY, '4'),
      memory: optional(QUANTITY, '16Gi'),
      pods: optional(wholeNumberField(1), 110),
    }),
    undefined,
  ),
  pods: optional(listField(POD), []),
});

const SCENARIO = objectField({
  name: NAME,
  about: textField,
  seed: optional(numberField('a whole number', Number.isInteger), 1),
  duration: durationField,
  /** It takes long, so `simulate all` leaves it out. */
  large: optional(TRUE_OR_FALSE, false),
  fleet: FLEET,
  workloads: optional(listField(WORKLOAD), []),
  configuration: optional(CONFIGURATION, {}),
  /** They are there from the start. */
  policies: optional(POLICIES, []),
  actions: optional(listField(ACTION), []),
  faults: optional(listField(FAULT), []),
  expect: optional(EXPECT, undefined),
});
/** A scenario with all defaults filled in. Durations in ms. */
export type Scenario = ReturnType<typeof SCENARIO.read>;

/** Parses a scenario. `file` is named in errors. Throws a `ScenarioError`. */
export const parseScenario = (source: string, file: string): Scenario => readYaml(source, file, SCENARIO);

/** The configuration from `settings`; those in `more` override them. Throws an `InvalidSettingsError`. */
export const configurationOf = (
  settings: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): Configuration => parseConfiguration({ ...settings, ...more });
