import type { EC2Client } from '@aws-sdk/client-ec2';
import { describe, expect, it } from 'vitest';
import { ebs } from '../../../../shared/adapters/ec2/ebs.ts';

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: Readonly<Record<string, unknown>>;
}

const answered = (name: string, message: string): Error =>
  Object.assign(new Error(message), { name, $fault: 'client', $metadata: {} });

/** A client that gives the same answer, or throws the error, and what it was asked. */
const cloudOf = (answer: object | Error) => {
  const sent: (readonly [string, Command['input']])[] = [];
  const send = async (command: Command) => {
    sent.push([command.constructor.name, command.input]);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { sent, cloud: ebs({ send } as unknown as EC2Client, 'blue') };
};

const PLACE = { disk: 'vol-1', machine: 'i-1' };

describe('EBS', () => {
  it('describes a volume and its attachments', async () => {
    const attachments = [
      { State: 'attached', InstanceId: 'i-1', Device: '/dev/xvdaa' },
      { State: 'detached', InstanceId: 'i-2', Device: '/dev/xvdab' },
    ];
    const volume = { State: 'in-use', MultiAttachEnabled: true, Attachments: attachments };
    const { sent, cloud } = cloudOf({ Volumes: [volume] });
    expect(await cloud.disk('vol-1')).toEqual({
      isReady: true,
      isShared: true,
      attachments: [{ machine: 'i-1', device: '/dev/xvdaa', state: 'attached' }],
    });
    expect(sent).toEqual([['DescribeVolumesCommand', { VolumeIds: ['vol-1'] }]]);
  });

  it.each([
    ['creating', false],
    ['available', true],
    ['in-use', true],
    ['deleting', false],
    ['error', false],
  ])('a volume that is %s is ready: %s', async (State, isReady) =>
    expect(await cloudOf({ Volumes: [{ State }] }).cloud.disk('vol-1')).toEqual({
      isReady,
      isShared: false,
      attachments: [],
    }),
  );

  it('describes an instance and its devices', async () => {
    const BlockDeviceMappings = [{ DeviceName: '/dev/xvda' }, { DeviceName: '/dev/xvdaa' }];
    const instance = { State: { Name: 'stopped' }, BlockDeviceMappings };
    const { cloud } = cloudOf({ Reservations: [{ Instances: [instance] }] });
    expect(await cloud.machine('i-1')).toEqual({ state: 'stopped', devices: ['/dev/xvda', '/dev/xvdaa'] });
  });

  it('knows nothing of what does not exist', async () => {
    expect(await cloudOf(answered('InvalidVolume.NotFound', 'no')).cloud.disk('vol-1')).toBeUndefined();
    expect(await cloudOf(answered('InvalidInstanceID.NotFound', 'no')).cloud.machine('i-1')).toBeUndefined();
    expect(await cloudOf({ Reservations: [] }).cloud.machine('i-1')).toBeUndefined();
  });

  it('attaches and detaches', async () => {
    const { sent, cloud } = cloudOf({});
    await cloud.attach(PLACE, '/dev/xvdaa');
    await cloud.detach(PLACE, false);
    await cloud.detach(PLACE, true);
    const names = { VolumeId: 'vol-1', InstanceId: 'i-1' };
    expect(sent).toEqual([
      ['AttachVolumeCommand', { ...names, Device: '/dev/xvdaa' }],
      ['DetachVolumeCommand', { ...names, Force: false }],
      ['DetachVolumeCommand', { ...names, Force: true }],
    ]);
  });

  it.each([
    ['attach', 'VolumeInUse', 'vol-1 is already attached', 'in-use'],
    ['attach', 'InvalidParameterValue', 'Attachment point /dev/xvdaa is already in use', 'device-in-use'],
    ['attach', 'InvalidParameterValue', 'Value (x) for parameter device is invalid', 'refused'],
    ['attach', 'IncorrectState', "Instance 'i-1' is not 'running'", 'refused'],
    ['attach', 'AttachmentLimitExceeded', 'too many', 'refused'],
    ['attach', 'UnauthorizedOperation', 'no', 'refused'],
    ['attach', 'RequestLimitExceeded', 'slow down', 'unavailable'],
    ['detach', 'IncorrectState', "Volume 'vol-1' is in the 'available' state.", 'detached'],
    ['detach', 'IncorrectState', "Volume 'vol-1' is in the 'attaching' state.", 'refused'],
    ['detach', 'InvalidAttachment.NotFound', 'not attached', 'detached'],
    ['detach', 'InvalidVolume.NotFound', 'no', 'missing'],
    ['detach', 'InvalidInstanceID.NotFound', 'no', 'missing'],
  ] as const)('%s: %s, "%s": %s', async (method, name, message, fault) => {
    const { cloud } = cloudOf(answered(name, message));
    const work = method === 'attach' ? cloud.attach(PLACE, '/dev/xvdaa') : cloud.detach(PLACE, false);
    await expect(work).rejects.toMatchObject({ fault, message: `${name}: ${message}` });
  });

  it('an error that is no answer means that EC2 was not reached', async () => {
    await expect(cloudOf(new Error('ECONNRESET')).cloud.detach(PLACE, false)).rejects.toMatchObject({
      fault: 'unavailable',
      message: 'Error: ECONNRESET',
    });
  });
});
