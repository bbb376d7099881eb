import { expect, it } from 'vitest';
import type { LifecycleEvent } from '../../../../shared/rules/notifications/lifecycle-event.ts';
import type { Severity } from '../../../../shared/settings/events/event-types.ts';
import { createNotificationHistory } from '../../../../simulation/figures/notification-history.ts';

const event = (node: string, severity: Severity): LifecycleEvent => ({
  detailType: 'NodeNotReady',
  detail: { id: `u-${node}/1`, severity, message: `${node} is not ready`, node, zone: node },
});

it('tells what a sink without a filter asks for, and publishes everything', async () => {
  const published: LifecycleEvent[] = [];
  const history = createNotificationHistory({ now: () => 0 });
  const bus = history.noting({ publish: async (events) => void published.push(...events) });
  const events = [event('a', 'info'), event('b', 'warning'), event('c', 'resolved')];
  await bus.publish(events);
  expect(published).toEqual(events);
  expect(history.told(60_000).map(({ severity }) => severity)).toEqual(['warning', 'resolved']);
});
