/** Recorded answers that Rollcall deliberately does not give: the row of docs/differences.md that says why. */

/** By case of test/conformance/cases.json. */
export const NAMED_CASES: Readonly<Record<string, string>> = {
  'binding/bind-no-target-name': 'D-26',
  'binding/bind-target-kind': 'D-26',
  'delete-node/options-bad-json': 'D-26',
  'delete-node/options-wrong-kind': 'D-26',
  'discovery/api-aggregated-v2': 'D-44',
  'field-validation/strict-apply': 'D-26',
  'node-replace/rv-not-a-number': 'D-26',
  'node-restriction/node-cordon': 'D-490',
  'patch-node/conditions-bad-directive': 'D-26',
  'patch-node/conditions-set-order-missing-item': 'D-26',
  'patch-node/conditions-without-key': 'D-26',
  'watch/rv-bad': 'D-26',
  'watch/rv-future': 'D-68',
};

/** By scenario and class of happenings of test/conformance/timelines. */
export const NAMED_HAPPENINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The taint is taken off in the write that would have put it on, so nobody ever sees it.
  S6: {
    'node s6a: +taint memory-pressure:NoSchedule': 'D-08',
    'node s6a: -taint memory-pressure:NoSchedule': 'D-08',
  },
};

/** By case of test/conformance/scheduler. */
export const NAMED_SCHEDULING: Readonly<Record<string, string>> = {
  'requeue-h21': 'D-98',
};

/** By row of test/conformance/agent. */
export const NAMED_ROWS: Readonly<Record<string, string>> = {
  'memory-static-0337': 'D-360',
};

/** Nothing of this kind was recorded, because a controller that runs here was off. Who is first may change from run to run. */
export const OFF_IN_RECORDING = 'off in the recording';
/** Differences of time: on a slow machine, what happens earlier here may fall together with what was recorded. */
export const MAY_BE_ALIKE: readonly string[] = [OFF_IN_RECORDING, 'D-111', 'D-164'];

const daemonStatus = (set: string, count: number): string =>
  `DaemonSet/${set}: changed {"set":{"status.currentNumberScheduled":${count}`;

/**
 * By scenario, and by the beginning of what is compared: a change, `fact NAME` or `final OBJECT` of test/conformance/controllers.
 */
export const NAMED_CHANGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  D1: {
    'PDB/s-max34: changed {"set":{"status.desiredHealthy":0': 'D-103',
    'final PDB/s-max34': 'D-103',
  },
  // A freed block goes to the node that has waited longest, n4, and the next one to n5, so that there is none for n7.
  I1: {
    'Node/n4: changed': 'D-95',
    'Node/n5: changed': 'D-95',
    'Node/n7: changed': 'D-95',
    'event/Node/n7: Normal CIDRNotAvailable': 'D-95',
    'fact after n2 went': 'D-95',
    'fact after a label change of n4': 'D-95',
    'fact n7': 'D-95',
    'fact at the end': 'D-95',
    'final Node/n4': 'D-95',
    'final Node/n5': 'D-95',
    'final Node/n7': 'D-95',
  },
  // At 6 s the pods of n1 may stay, at 9 s taint eviction deletes them, too, and at 31 s a node goes.
  S1: Object.fromEntries([
    ...['plain', 'hostnet', 'select'].flatMap((name) => [
      [`event/DaemonSet/${name}: Normal SuccessfulDelete`, OFF_IN_RECORDING],
      [
        `Pod/${name}-<>: changed {"set":{"metadata.deletionGracePeriodSeconds":0,"metadata.deletionTimestamp"`,
        OFF_IN_RECORDING,
      ],
      [`DaemonSet/${name}: changed {"set":{"status.numberMisscheduled":0}}`, 'D-111'],
    ]),
    ...[daemonStatus('plain', 4), daemonStatus('plain', 5), 'final DaemonSet/hostnet'].map((name) => [
      name,
      'D-111',
    ]),
    ...[daemonStatus('hostnet', 5), daemonStatus('hostnet', 6), daemonStatus('select', 0)].map((name) => [
      name,
      'D-111',
    ]),
  ]),
  S8: {
    'StatefulSet/db: changed {"set":{"status.availableReplicas":1,"status.currentReplicas":1,"status.readyReplicas":1':
      'D-164',
  },
  // An Event that is counted up has the text of the first ones, and later ones are combined to one.
  S2: Object.fromEntries(
    [
      '(combined from similar events)',
      'Scaled down replica set web-7674bbfb5b from',
      'Scaled up replica set web-79bcc86599 from 1 to 2',
      'Scaled down replica set web-79bcc86599 from 3 to 0',
      'Scaled up replica set web-84d8946597 from 0 to 3',
    ].map((text) => [`event/Deployment/web: Normal ScalingReplicaSet {"message":"${text}`, 'D-106']),
  ),
};
