/** Who takes the messages of each queue: the functions' reconciles. */
import { reconcile as evictNodes } from '../lambdas/node-eviction/reconcile.ts';
import { reconcile as monitorNodes } from '../lambdas/node-monitor/reconcile.ts';
import { reconcile as markPods } from '../lambdas/pod-readiness/reconcile.ts';
import { reconcile as evictPods } from '../lambdas/taint-eviction/reconcile.ts';
import {
  EvictionWakeup,
  MonitorTick,
  PodReadinessMessage,
  TaintEvictionMessage,
} from '../shared/ports/messages.ts';
import { recordEvictions, recordMarked, recordPass, recordWakeup } from './host-figures.ts';
import type { Invocation } from './invocation.ts';
import type { Worker } from './queue-pumps.ts';

/** Passes are few and short; ticks come up to a second early and wait. */
const PASSES = 8;
/** These mostly wait for an instant; one per zone or node at a time. */
const WAITING = 256;
const MARKING = 16;

/** Evictions rest after an absence; wake-ups wait in their queues meanwhile, and stored deadlines stay as they are. */
export const workersOf = (deps: Invocation): readonly Worker[] => {
  const { figures, presence, clock } = deps;
  const always = (): boolean => true;
  const mayEvict = (): boolean => presence.quietUntil() <= clock.now();
  return [
    {
      queue: 'node-monitor-ticks',
      concurrency: PASSES,
      isOpen: always,
      handle: async (body) => {
        await presence.observe();
        recordPass(figures, await monitorNodes(deps, MonitorTick.parse(body)));
      },
    },
    {
      queue: 'eviction-wakeups',
      concurrency: WAITING,
      isOpen: mayEvict,
      handle: async (body) => recordWakeup(figures, await evictNodes(deps, EvictionWakeup.parse(body))),
    },
    {
      queue: 'taint-eviction',
      concurrency: WAITING,
      isOpen: mayEvict,
      handle: async (body) =>
        recordEvictions(figures, await evictPods(deps, TaintEvictionMessage.parse(body))),
    },
    {
      queue: 'pod-readiness',
      concurrency: MARKING,
      isOpen: always,
      handle: async (body) =>
        recordMarked(figures, (await markPods(deps, PodReadinessMessage.parse(body))).marked),
    },
  ];
};
