import { mattersToOwner } from '../../shared/rules/workloads/children/pod-relevance.ts';
import { nodeNews } from '../../shared/rules/workloads/daemon-set/daemon-node.ts';
import { targetNode } from '../../shared/rules/workloads/daemon-set/daemon-place.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { mattersToOwners, ofOwner, orphansOf, ownersOf } from '../contract/owner-routing.ts';
import { podOf, type Step } from '../contract/step.ts';
import type { DaemonSetMessage, NodesMessage } from './message.ts';

type Messages = readonly Outgoing<DaemonSetMessage>[];

const NO_NEWS: NodesMessage = { v: 1, kind: 'nodes', added: [], isGone: false, labels: [], taints: [] };

/** A pod without a node of its own gets one when it is bound. */
const hasMoved = ({ before, after }: Step): boolean => {
  const [from, to] = [podOf(before), podOf(after)];
  return (from && targetNode(from)) !== (to && targetNode(to));
};

const ofPod = (step: Step): Messages => {
  const isNews = mattersToOwner(podOf(step.before), podOf(step.after)) || hasMoved(step);
  return [...(isNews ? ownersOf(step, 'DaemonSet') : []), ...orphansOf(step)];
};

const ofNode = ({ key: { name }, before, after }: Step): Messages => {
  if (!after) return [{ body: { ...NO_NEWS, isGone: true } }];
  if (!before) return [{ body: { ...NO_NEWS, added: [name] } }];
  const { labels, taints } = nodeNews(before.object, after.object);
  if (labels.length + taints.length === 0) return [];
  return [{ body: { ...NO_NEWS, labels: [...labels], taints: [...taints] } }];
};

const distinct = <T>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
];

const isOfNodes = (message: Outgoing<DaemonSetMessage>): message is Outgoing<NodesMessage> =>
  message.body.kind === 'nodes';

const joined = (news: readonly NodesMessage[]): NodesMessage => ({
  ...NO_NEWS,
  added: distinct(news.flatMap(({ added }) => added)),
  isGone: news.some(({ isGone }) => isGone),
  labels: distinct(news.flatMap(({ labels }) => labels)),
  taints: distinct(news.flatMap(({ taints }) => taints)),
});

/** Messages for DaemonSets that want something else, whose pods change, for pods without controller, and news about Nodes. */
export const routing: Routing<DaemonSetMessage> = {
  route: (step) => {
    const { resource } = step.key;
    if (resource === 'pods') return ofPod(step);
    if (resource === 'nodes') return ofNode(step);
    return resource === 'daemonsets' ? ofOwner(step) : [];
  },
  resync: async () => [],
  matters: mattersToOwners('daemonsets'),
  // One message tells of all nodes of a batch: a zone that fails taints many of them alike.
  merge: (messages) => {
    const news = messages.filter(isOfNodes).map(({ body }) => body);
    const others = distinct(messages.filter((message) => !isOfNodes(message)));
    return news.length === 0 ? others : [...others, { body: joined(news) }];
  },
};
