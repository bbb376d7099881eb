import type { Scenario } from '../scenario.ts';

const ALL = '/api/v1/namespaces';
const NAME = 'gold-x';
const OWN = `${ALL}/${NAME}`;

/** A new namespace gets its default objects, which come back. It is deleted with nothing else in it. */
const defaults: Scenario = {
  watched: ['Namespace', 'ServiceAccount', 'ConfigMap', 'event'],
  tolerance: 1.5,
  play: async (cluster) => {
    const { api } = cluster;
    cluster.begin();
    await api.post(ALL, { metadata: { name: NAME } });
    await cluster.pause(1.5);
    await api.delete(`${OWN}/serviceaccounts/default`);
    await cluster.pause(1.5);
    await api.delete(`${OWN}/configmaps/kube-root-ca.crt`);
    await cluster.pause(1.5);
    await api.patch(`${OWN}/configmaps/kube-root-ca.crt`, { data: { 'ca.crt': 'x', other: 'y' } });
    await cluster.pause(1.5);
    await api.delete(OWN);
    await cluster.seen(15, () => cluster.find('Namespace', NAME) === undefined);
    await cluster.pause(0.3);
  },
};

export const NAMESPACES = { N1: defaults };
