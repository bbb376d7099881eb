import { describe, expect, it } from 'vitest';
import type { Outbox } from '../../../shared/ports/store/outbox.ts';
import { bundleOf, subjectOf } from '../../../shared/rules/notifications/bundle.ts';
import type { LifecycleEvent } from '../../../shared/rules/notifications/lifecycle-event.ts';
import type { NewNotice } from '../../../shared/rules/notifications/notice.ts';
import { EXPIRES_AT, T0 } from '../../support/stores/builders.ts';

const notice = (
  node: string,
  storedAt = T0,
  detailType: LifecycleEvent['detailType'] = 'NodeLost',
): NewNotice => {
  const event: LifecycleEvent = {
    detailType,
    detail: { id: `u-${node}/1`, severity: 'warning', message: 'm', node, uid: 'u', zone: 'a' },
  };
  return {
    id: `${event.detail.id}/${detailType}`,
    event,
    storedAt,
    type: detailType,
    severity: 'warning',
    subject: subjectOf(event),
    bundle: bundleOf(event),
  };
};

const idsOf = async (outbox: Outbox, sink: string, most = 100): Promise<readonly string[]> =>
  (await outbox.waiting(sink, most)).map(({ id }) => id);

/** What waits for sinks. */
export const outboxContract = (name: string, create: () => Promise<Outbox>): void => {
  describe(`${name}: events that wait for sinks`, () => {
    it('come back as they were stored', async () => {
      const outbox = await create();
      await outbox.add('s', [notice('n1')], EXPIRES_AT);
      const [{ key, ...found } = { key: '' }] = await outbox.waiting('s', 1);
      expect(key).not.toBe('');
      expect(found).toEqual(notice('n1'));
    });

    it('are in the order of their instants, and of those that were stored together, and never more than asked for', async () => {
      const outbox = await create();
      await outbox.add('s', [notice('late', T0 + 5)], EXPIRES_AT);
      const together = Array.from({ length: 40 }, (_, n) => notice(`n${40 - n}`, T0));
      await outbox.add('s', [...together, notice('n1', T0, 'NodeReturned')], EXPIRES_AT);
      const ids = [...together.map(({ id }) => id), 'u-n1/1/NodeReturned', 'u-late/1/NodeLost'];
      expect(await idsOf(outbox, 's')).toEqual(ids);
      expect(await idsOf(outbox, 's', 7)).toEqual(ids.slice(0, 7));
    });

    it('are separate for each sink, and go when they are removed, which may be done twice', async () => {
      const outbox = await create();
      for (const sink of ['s', 't']) await outbox.add(sink, [notice('n1'), notice('n2')], EXPIRES_AT);
      const [first] = await outbox.waiting('s', 1);
      const keys = [first?.key ?? ''];
      await outbox.remove('s', keys);
      await outbox.remove('s', keys);
      expect(await idsOf(outbox, 's')).toEqual(['u-n2/1/NodeLost']);
      expect(await idsOf(outbox, 't')).toHaveLength(2);
    });

    it('are found however many pages they fill', async () => {
      const outbox = await create();
      const message = 'x'.repeat(30_000);
      const large = Array.from({ length: 60 }, (_, n): NewNotice => {
        const one = notice(`n${n}`, T0 + n);
        return { ...one, event: { ...one.event, detail: { ...one.event.detail, message } } };
      });
      await outbox.add('s', large, EXPIRES_AT);
      expect(await idsOf(outbox, 's')).toEqual(large.map(({ id }) => id));
    });
  });
};
