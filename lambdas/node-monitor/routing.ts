import type { Routing } from '../contract/controller.ts';
import type { MonitorTick } from './message.ts';

/** A tick after the creation of a Node: without Nodes there are none. It is late, so it asks for the pass of now. */
export const routing: Routing<MonitorTick> = {
  route: ({ key, before, after }) =>
    key.resource === 'nodes' && !before && after
      ? [{ body: { v: 1, kind: 'tick', at: 0, force: true } }]
      : [],
  resync: async () => [],
  matters: (_, { skipsCalmPasses = false }) => skipsCalmPasses,
};
