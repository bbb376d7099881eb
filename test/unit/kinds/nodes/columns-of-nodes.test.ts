import { describe, expect, it } from 'vitest';
import { objectWith, printed } from '../../../support/objects/printed.ts';

const ready = (status: string) => ({ type: 'Ready', status });

describe('the status of a node', () => {
  it.each([
    ['is Ready if its condition is True', { conditions: [ready('True')] }, {}, 'Ready'],
    ['is NotReady when it is not', { conditions: [ready('False')] }, {}, 'NotReady'],
    ['is NotReady when it is unknown', { conditions: [ready('Unknown')] }, {}, 'NotReady'],
    [
      'is Unknown without the condition',
      { conditions: [{ type: 'DiskPressure', status: 'True' }] },
      {},
      'Unknown',
    ],
    ['is Unknown without any', {}, {}, 'Unknown'],
    ['counts the last of two', { conditions: [ready('False'), ready('True')] }, {}, 'Ready'],
    [
      'shows that it is cordoned',
      { conditions: [ready('True')] },
      { unschedulable: true },
      'Ready,SchedulingDisabled',
    ],
    [
      'shows that it shuts down',
      { conditions: [ready('False'), { type: 'GracefulNodeShutdownInProgress', status: 'True' }] },
      { unschedulable: true },
      'NotReady,SchedulingDisabled,ShuttingDown',
    ],
    [
      'shows that it is in maintenance',
      { conditions: [ready('True'), { type: 'MaintenanceInProgress', status: 'True' }] },
      { unschedulable: true },
      'Ready,SchedulingDisabled,Maintenance',
    ],
    ['shows that it is cordoned and unknown', {}, { unschedulable: true }, 'Unknown,SchedulingDisabled'],
  ])('%s', (_what, status, spec, word) => {
    expect(printed('nodes', objectWith({ status, spec }))['Status']).toBe(word);
  });

  it('does not show that the node is being deleted', () => {
    const node = objectWith(
      { status: { conditions: [ready('True')] } },
      { deletionTimestamp: '2026-03-01T12:00:00Z' },
    );
    expect(printed('nodes', node)['Status']).toBe('Ready');
  });
});

describe('the roles of a node', () => {
  it.each([
    [{}, '<none>'],
    [{ 'kubernetes.io/role': '' }, '<none>'],
    [{ 'node-role.kubernetes.io/': 'x' }, '<none>'],
    [{ 'node-role.kubernetes.io/control-plane': '' }, 'control-plane'],
    [
      {
        'node-role.kubernetes.io/worker': '',
        'node-role.kubernetes.io/edge': 'x',
        'kubernetes.io/role': 'db',
      },
      'db,edge,worker',
    ],
    [{ 'node-role.kubernetes.io/db': '', 'kubernetes.io/role': 'db' }, 'db'],
  ])('of the labels %j are %s', (labels, roles) => {
    expect(printed('nodes', objectWith({}, { labels }))['Roles']).toBe(roles);
  });
});

describe('the rest of a node', () => {
  it('shows what it reports, and its first address of each type', () => {
    const addresses = [
      { type: 'ExternalIP', address: '198.51.100.7' },
      { type: 'InternalIP', address: '192.0.2.7' },
      { type: 'InternalIP', address: '2001:db8::7' },
    ];
    const nodeInfo = {
      kubeletVersion: 'v1.34.4',
      osImage: 'Test OS 1',
      kernelVersion: '6.1.0',
      containerRuntimeVersion: 'containerd://2.0.0',
    };
    expect(printed('nodes', objectWith({ status: { addresses, nodeInfo } }))).toMatchObject({
      Name: 'x',
      Age: '5m',
      Version: 'v1.34.4',
      'Internal-IP': '192.0.2.7',
      'External-IP': '198.51.100.7',
      'OS-Image': 'Test OS 1',
      'Kernel-Version': '6.1.0',
      'Container-Runtime': 'containerd://2.0.0',
    });
  });

  it('is unknown if it reports nothing', () => {
    const nodeInfo = { kubeletVersion: '', osImage: '', kernelVersion: '', containerRuntimeVersion: '' };
    expect(printed('nodes', objectWith({ status: { nodeInfo } }, { creationTimestamp: null }))).toMatchObject(
      {
        Age: '<unknown>',
        Version: '',
        'Internal-IP': '<none>',
        'External-IP': '<none>',
        'OS-Image': '<unknown>',
        'Kernel-Version': '<unknown>',
        'Container-Runtime': '<unknown>',
      },
    );
  });
});
