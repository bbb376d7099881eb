import type { EC2Client } from '@aws-sdk/client-ec2';
import { describe, expect, it } from 'vitest';
import { ec2Instances } from '../../../../shared/adapters/ec2/instances.ts';
import { CloudUnavailableError } from '../../../../shared/ports/outside/cloud-provider.ts';

interface Sent {
  readonly Filters: readonly { readonly Name: string; readonly Values: readonly string[] }[];
  readonly NextToken?: string;
}

const described = (id: string, state: string, more: object = {}) => ({
  InstanceId: id,
  State: { Name: state },
  Placement: { AvailabilityZone: 'eu-west-1a' },
  ...more,
});

/** A client that answers with pages of two. */
const clientOf = (
  instances: readonly {
    readonly InstanceId: string;
    readonly PrivateDnsName?: string;
    readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
  }[],
) => {
  const sent: Sent[] = [];
  const send = async ({ input }: { readonly input: Sent }) => {
    sent.push(input);
    const [{ Name, Values } = { Name: '', Values: [] }] = input.Filters;
    const found = instances.filter((one) => {
      const tag = one.Tags?.find(({ Key }) => `tag:${Key}` === Name)?.Value;
      const own = Name === 'instance-id' ? one.InstanceId : one.PrivateDnsName;
      return Values.includes((Name.startsWith('tag:') ? tag : own) ?? '-');
    });
    const from = Number(input.NextToken ?? 0);
    const NextToken = from + 2 < found.length ? String(from + 2) : undefined;
    return { Reservations: [{ Instances: found.slice(from, from + 2) }], NextToken };
  };
  const client = { send, config: { region: async () => 'eu-west-1' } } as unknown as EC2Client;
  return { sent, ask: ec2Instances(client, 'blue') };
};

const OF_BLUE = { Key: 'rollcall.dev/cluster', Value: 'blue' };

const query = (nodeName: string, id = '', zone = 'eu-west-1a') => ({
  nodeName,
  providerId: id === '' ? '' : `aws:///${zone}/${id}`,
});

describe('EC2 as the provider of machines', () => {
  it('answers for each Node, in order, from all pages', async () => {
    const { ask } = clientOf(['i-1', 'i-2', 'i-3'].map((id) => described(id, 'running')));
    const answers = await ask([query('c', 'i-3'), query('x', 'i-9'), query('a', 'i-1'), query('b', 'i-2')]);
    expect(answers.map((one) => (typeof one === 'string' ? one : one.providerId))).toEqual([
      'aws:///eu-west-1a/i-3',
      'missing',
      'aws:///eu-west-1a/i-1',
      'aws:///eu-west-1a/i-2',
    ]);
  });

  it('tells type, zone, region and addresses', async () => {
    const { ask } = clientOf([
      described('i-1', 'stopped', {
        InstanceType: 'm7g.large',
        PrivateIpAddress: '10.0.0.7',
        PublicIpAddress: '203.0.113.7',
        PrivateDnsName: 'ip-10-0-0-7.ec2.internal',
        Tags: [OF_BLUE],
      }),
    ]);
    expect(await ask([query('ip-10-0-0-7.ec2.internal')])).toEqual([
      {
        providerId: 'aws:///eu-west-1a/i-1',
        state: 'stopped',
        instanceType: 'm7g.large',
        zone: 'eu-west-1a',
        region: 'eu-west-1',
        nodeName: 'ip-10-0-0-7.ec2.internal',
        addresses: [
          { type: 'InternalIP', address: '10.0.0.7' },
          { type: 'ExternalIP', address: '203.0.113.7' },
          { type: 'InternalDNS', address: 'ip-10-0-0-7.ec2.internal' },
          { type: 'Hostname', address: 'ip-10-0-0-7.ec2.internal' },
        ],
      },
    ]);
  });

  it('names the Node of the tag, or else the one of the private DNS name (J-391)', async () => {
    const Tags = [{ Key: 'rollcall.dev/node', Value: 'web-1' }];
    const { ask } = clientOf([
      described('i-1', 'running', { PrivateDnsName: 'ip-1', Tags }),
      described('i-2', 'running', { PrivateDnsName: 'ip-2', Tags: [OF_BLUE] }),
      described('i-3', 'running', { PrivateDnsName: '', Tags: [OF_BLUE] }),
    ]);
    const answers = await ask([
      query('x', 'i-1'),
      query('x', 'i-2'),
      query('x', 'i-3'),
      query('web-1'),
      query('ip-1'),
    ]);
    expect(answers.map((one) => (typeof one === 'string' ? one : one.nodeName))).toEqual([
      'web-1',
      'ip-2',
      undefined,
      'web-1',
      'missing',
    ]);
  });

  it('finds by a name the instance that has it now', async () => {
    const named = { PrivateDnsName: 'n1' };
    const { ask } = clientOf([described('i-2', 'running', named), described('i-1', 'terminated', named)]);
    expect(await ask([query('n1')])).toMatchObject([{ providerId: 'aws:///eu-west-1a/i-2' }]);
  });

  it('names no Node by the private DNS name of an instance of another cluster, and finds it last (J-391)', async () => {
    const green = { Key: 'rollcall.dev/cluster', Value: 'green' };
    const named = { PrivateDnsName: 'ip-1' };
    const { ask } = clientOf([
      described('i-2', 'running', { ...named, Tags: [OF_BLUE] }),
      described('i-1', 'running', named),
      described('i-3', 'running', { ...named, Tags: [green] }),
      described('i-4', 'running', { PrivateDnsName: 'ip-4', Tags: [green] }),
    ]);
    const answers = await ask([query('ip-1', 'i-1'), query('ip-1', 'i-3'), query('ip-1'), query('ip-4')]);
    expect(
      answers.map((one) => (typeof one === 'string' ? one : [one.providerId.slice(-3), one.nodeName])),
    ).toEqual([
      ['i-1', undefined],
      ['i-3', undefined],
      ['i-2', 'ip-1'],
      ['i-4', undefined],
    ]);
  });

  it('finds by a name the instance that has it as its tag, above one with that private DNS name (J-391)', async () => {
    const Tags = [{ Key: 'rollcall.dev/node', Value: 'ip-1' }];
    const { ask } = clientOf([
      described('i-2', 'running', { PrivateDnsName: 'ip-2', Tags }),
      described('i-1', 'running', { PrivateDnsName: 'ip-1', Tags: [OF_BLUE] }),
    ]);
    expect(await ask([query('ip-1')])).toMatchObject([{ providerId: 'aws:///eu-west-1a/i-2' }]);
  });

  it('says nothing about other regions and clouds, and does not ask about them', async () => {
    const { ask, sent } = clientOf([]);
    const foreign = { nodeName: 'n', providerId: 'gce://p/z/i' };
    expect(await ask([query('a', 'i-1', 'us-east-1a'), foreign])).toEqual(['unknown', 'unknown']);
    expect(sent).toEqual([]);
  });

  it('asks about 200 instances at a time', async () => {
    const { ask, sent } = clientOf([]);
    await ask(Array.from({ length: 450 }, (_, index) => query(`n${index}`, `i-${index.toString(16)}`)));
    expect(sent.map(({ Filters }) => Filters[0]?.Values.length)).toEqual([200, 200, 50]);
  });

  it('is unavailable when it throttles', async () => {
    const send = async () => Promise.reject(new Error('RequestLimitExceeded'));
    const client = { send, config: { region: async () => 'eu-west-1' } } as unknown as EC2Client;
    await expect(ec2Instances(client, 'blue')([query('a', 'i-1')])).rejects.toThrow(CloudUnavailableError);
  });
});
