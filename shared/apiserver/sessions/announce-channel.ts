/** Asks a node for a channel: the next answer to its beat says that there is new work, and the work names the channel. */

import { liveRow, nodeKey } from '../../ports/store/rows.ts';
import { type ChannelCall, withChannel } from '../../rules/streams/channel.ts';
import type { ApiServerDeps } from '../contract/deps.ts';

/** One write of the Node and one of its beat. Does nothing for a Node that is gone, or another one of the name. */
export const announceChannel = async (
  node: { readonly name: string; readonly uid: string },
  call: ChannelCall,
  { writer, heartbeats, clock }: Pick<ApiServerDeps, 'writer' | 'heartbeats' | 'clock'>,
): Promise<void> => {
  const { outcome } = await writer.write(nodeKey(node.name), (row) => {
    const live = liveRow(row);
    return live?.uid === node.uid
      ? { next: withChannel(live.object, call), writer: 'controller' }
      : undefined;
  });
  if (outcome === 'written') await heartbeats.bumpWorkRevision(node.name, clock.now());
};
