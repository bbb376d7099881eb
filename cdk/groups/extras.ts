/** What single controllers need on AWS besides what all have. */
import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ControllerName } from '../../lambdas/controllers.ts';
import { garbageCollector } from '../../lambdas/garbage-collector/controller.ts';
import { groupOf } from '../../lambdas/groups.ts';
import { NODE_IPAM_METRICS } from '../../lambdas/node-ipam/metrics.ts';
import { NODE_MONITOR_METRICS } from '../../lambdas/node-monitor/metrics.ts';
import { emittedMetric } from '../constructs/monitoring.ts';
import { eventFilterEnvironment } from '../functions/event-sender.ts';
import { cloudNodeExtra } from './cloud-node.ts';
import type { Extended, Extra } from './extra.ts';
import { volumeAttacherExtra } from './volume-attacher.ts';

/** Beyond the period: the rule looks at a steady second of the minute, which may be just before each pass ends. */
const LATE_SECONDS = 60;

const addSilenceAlarm = (scope: Construct, { monitoring, configuration }: Extended): void =>
  monitoring.addAlarm('node-monitor-silent', {
    // Each run of the rule emits it once. A rule that is dead or fails emits nothing.
    metric: emittedMetric(scope, {
      service: groupOf('node-monitor'),
      metric: NODE_MONITOR_METRICS.lag,
      statistic: 'Maximum',
      period: Duration.minutes(1),
    }),
    threshold: LATE_SECONDS + configuration.nodeLifecycle.nodeMonitorPeriodMs / 1000,
    periods: { bad: 5, of: 5 },
    missingIsBad: true,
    description: 'No health pass came to its end for five minutes: silent nodes are not detected.',
  });

/** The node monitor announces what it finds, and its silence is an alarm. */
const nodeMonitorExtra: Extra = {
  environment: ({ events, eventSender }) => ({
    EVENT_BUS_NAME: events.eventBusName,
    ...eventFilterEnvironment(eventSender),
  }),
  add: (scope, props) => {
    props.events.grantPutEventsTo(props.fn.function);
    props.eventSender?.letStore(props.fn);
    addSilenceAlarm(scope, props);
  },
};

/** While node-ipam is off it takes messages, too: it has to note that Nodes came and went. Only its sweep does not run. */
const nodeIpamExtra: Extra = {
  isScheduled: ({ nodeIpam }) => nodeIpam !== undefined,
  add: (scope, { configuration, monitoring }) => {
    if (!configuration.nodeIpam) return;
    monitoring.addAlarm('cidrs-exhausted', {
      metric: emittedMetric(scope, {
        service: groupOf('node-ipam'),
        metric: NODE_IPAM_METRICS.waiting,
        statistic: 'Maximum',
        // Longer than the time between two sweeps, which report it.
        period: Duration.minutes(30),
      }),
      threshold: 1,
      description: 'Nodes wait for a podCIDR: the cluster CIDR has no free block.',
    });
  },
};

/** Until the first sweep has ended no controller of workloads does anything: it must not wait for the first hour. */
const FIRST_SWEEP = {
  queue: garbageCollector.queue.name,
  body: { v: 1, kind: 'sweep', isFirst: true },
};

/** By the names of the controllers. */
export const EXTRAS: { readonly [Name in ControllerName]?: Extra } = {
  'node-monitor': nodeMonitorExtra,
  'node-ipam': nodeIpamExtra,
  'garbage-collector': { rules: { 'first-sweep': { everyMinutes: 1, input: { message: FIRST_SWEEP } } } },
  'cloud-node': cloudNodeExtra,
  'volume-attacher': volumeAttacherExtra,
};
