/** EC2 as the provider of machines. */
import {
  DescribeInstancesCommand,
  type EC2Client,
  type Instance as Ec2Instance,
  type Filter,
} from '@aws-sdk/client-ec2';
import { chunksOf } from '../../kube/values/chunks-of.ts';
import { optional } from '../../kube/values/optional.ts';
import { CloudUnavailableError, type InstanceQuery } from '../../ports/outside/cloud-provider.ts';
import {
  ec2Instance,
  INSTANCE_STATES,
  type Instance,
  type InstanceAddress,
  type InstanceAnswer,
} from '../../rules/cloud/instance.ts';
import { lookupNameOf, NODE_TAG, nodeNameOf, rankOf } from './node-name.ts';

/** Values of one filter: EC2 accepts 200. */
const BATCH = 200;

const addressesOf = (found: Ec2Instance): readonly InstanceAddress[] => {
  const internal = (found.NetworkInterfaces ?? []).flatMap(({ PrivateIpAddresses = [] }) =>
    PrivateIpAddresses.map(({ PrivateIpAddress }) => ['InternalIP', PrivateIpAddress] as const),
  );
  const first = [['InternalIP', found.PrivateIpAddress] as const];
  const all = [
    ...(internal.length > 0 ? internal : first),
    ['ExternalIP', found.PublicIpAddress] as const,
    ['InternalDNS', found.PrivateDnsName] as const,
    ['Hostname', found.PrivateDnsName] as const,
    ['ExternalDNS', found.PublicDnsName] as const,
  ];
  return all.flatMap(([type, address]) => (address ? [{ type, address }] : []));
};

/** The region of the client, and the id of the cluster. */
interface Place {
  readonly region: string;
  readonly clusterId: string;
}

const instanceOf = (found: Ec2Instance, { region, clusterId }: Place): Instance | undefined => {
  const state = INSTANCE_STATES.find((one) => one === found.State?.Name);
  if (state === undefined || found.InstanceId === undefined) return undefined;
  const zone = found.Placement?.AvailabilityZone ?? '';
  return {
    providerId: `aws:///${zone}/${found.InstanceId}`,
    state,
    zone,
    region,
    addresses: addressesOf(found),
    ...optional('instanceType', found.InstanceType),
    ...optional('nodeName', nodeNameOf(found, clusterId)),
  };
};

/** By a filter, because a request by id fails as a whole if one instance does not exist. */
const describe = async (client: EC2Client, filter: Filter): Promise<readonly Ec2Instance[]> => {
  const found: Ec2Instance[] = [];
  let NextToken: string | undefined;
  do {
    const page = await client.send(new DescribeInstancesCommand({ Filters: [filter], NextToken }));
    for (const { Instances = [] } of page.Reservations ?? []) found.push(...Instances);
    NextToken = page.NextToken;
  } while (NextToken !== undefined && NextToken !== '');
  return found;
};

const inBatches = async (
  client: EC2Client,
  name: string,
  values: readonly string[],
): Promise<readonly Ec2Instance[]> => {
  const found: Ec2Instance[] = [];
  for (const some of chunksOf([...new Set(values)], BATCH))
    found.push(...(await describe(client, { Name: name, Values: some })));
  return found;
};

type Fleet = (query: InstanceQuery) => InstanceAnswer;

const byName = (found: readonly Ec2Instance[], clusterId: string): ReadonlyMap<string, Ec2Instance> =>
  new Map(
    found
      .toSorted((one, other) => rankOf(one, clusterId) - rankOf(other, clusterId))
      .map((one) => [lookupNameOf(one) ?? '', one]),
  );

const readFleet = async (
  client: EC2Client,
  place: Place,
  queries: readonly InstanceQuery[],
): Promise<Fleet> => {
  const idOf = ({ providerId }: InstanceQuery): string | undefined => {
    const own = ec2Instance(providerId);
    return own?.zone.startsWith(place.region) ? own.id : undefined;
  };
  const ids = queries.flatMap((query) => idOf(query) ?? []);
  const names = queries.flatMap(({ providerId, nodeName }) => (providerId === '' ? [nodeName] : []));
  const byId = await inBatches(client, 'instance-id', ids);
  const byDns = await inBatches(client, 'private-dns-name', names);
  const byTag = await inBatches(client, `tag:${NODE_TAG}`, names);
  const idToInstance = new Map(byId.map((one) => [one.InstanceId ?? '', one]));
  const nameToInstance = byName([...byDns, ...byTag], place.clusterId);
  return (query) => {
    const id = idOf(query);
    if (query.providerId !== '' && id === undefined) return 'unknown';
    const found = id === undefined ? nameToInstance.get(query.nodeName) : idToInstance.get(id);
    return found ? (instanceOf(found, place) ?? 'unknown') : 'missing';
  };
};

/** Answers about instances of the client's region. About those of other regions and clouds it answers `unknown`. */
export const ec2Instances =
  (client: EC2Client, clusterId: string) =>
  async (queries: readonly InstanceQuery[]): Promise<readonly InstanceAnswer[]> => {
    try {
      const fleet = await readFleet(client, { region: await client.config.region(), clusterId }, queries);
      return queries.map(fleet);
    } catch (error) {
      throw new CloudUnavailableError('EC2 did not describe the instances', { cause: error });
    }
  };
