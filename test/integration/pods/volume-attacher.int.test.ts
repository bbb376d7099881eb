/** EBS volumes of LocalStack's EC2, which attaches and detaches at once: the attacher of the deployed stack does what VolumeAttachments ask for. */
import {
  CreateVolumeCommand,
  DescribeVolumesCommand,
  EC2Client,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { VolumeAttachment } from '../../../shared/kube/types/storage.ts';
import { ATTACHER_FINALIZER, EBS_DRIVER } from '../../../shared/rules/attachments/attacher.ts';
import { call, cliToken, must } from '../support/deployment.ts';
import { eventually } from '../support/wait.ts';

const NODE = '/api/v1/nodes/ebs-1';
const VOLUME = '/api/v1/persistentvolumes/ebs-1';
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments';
const ATTACHMENT = `${ATTACHMENTS}/ebs-1`;
/** For each step: an emulator may take seconds for each request and each message. */
const WITHIN_MS = 120_000;

const token = cliToken('--admin');
const ec2 = new EC2Client({});

const post = (path: string, body: object) => must({ method: 'POST', path, token, body });
const read = () => must<VolumeAttachment>({ method: 'GET', path: ATTACHMENT, token });
const isGone = async (path: string): Promise<boolean> =>
  (await call({ method: 'GET', path, token })).status === 404;

interface Made {
  readonly instance: string;
  readonly zone: string;
  readonly volume: string;
}

const makeDisk = async (): Promise<Made> => {
  const { Instances: [{ InstanceId: instance = '', Placement } = {}] = [] } = await ec2.send(
    new RunInstancesCommand({
      ImageId: 'ami-12345678',
      InstanceType: 't3.micro',
      MinCount: 1,
      MaxCount: 1,
      TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'rollcall.dev/node', Value: 'ebs-1' }] }],
    }),
  );
  const zone = Placement?.AvailabilityZone ?? '';
  const { VolumeId: volume = '' } = await ec2.send(
    new CreateVolumeCommand({ AvailabilityZone: zone, Size: 1 }),
  );
  return { instance, zone, volume };
};

/** Where EC2 has the volume. */
const attachmentsOf = async ({ volume }: Made) => {
  const { Volumes: [found] = [] } = await ec2.send(new DescribeVolumesCommand({ VolumeIds: [volume] }));
  return (found?.Attachments ?? []).map(({ InstanceId, Device }) => ({ InstanceId, Device }));
};

let made: Made;

beforeAll(async () => {
  made = await makeDisk();
  const providerID = `aws:///${made.zone}/${made.instance}`;
  await post('/api/v1/nodes', { metadata: { name: 'ebs-1' }, spec: { providerID } });
  await post('/api/v1/persistentvolumes', {
    metadata: { name: 'ebs-1' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'ebs-1',
      csi: { driver: EBS_DRIVER, volumeHandle: made.volume },
    },
  });
});

afterAll(async () => {
  await call({ method: 'DELETE', path: NODE, token });
});

it('attaches a volume, tells its device, and takes it off again (J-101 to J-103, J-108)', async () => {
  await post(ATTACHMENTS, {
    metadata: { name: 'ebs-1' },
    spec: { attacher: EBS_DRIVER, nodeName: 'ebs-1', source: { persistentVolumeName: 'ebs-1' } },
  });
  const { metadata, status } = await eventually(
    'the volume is attached',
    WITHIN_MS,
    async () => {
      const attachment = await read();
      return attachment.status?.attached === true ? attachment : undefined;
    },
    read,
  );
  expect(metadata.finalizers).toEqual([ATTACHER_FINALIZER]);
  const Device = status?.attachmentMetadata?.['devicePath'];
  expect(Device).toMatch(/^\/dev\/xvd/);
  expect(await attachmentsOf(made)).toEqual([{ InstanceId: made.instance, Device }]);

  await must({ method: 'DELETE', path: VOLUME, token });
  await must({ method: 'DELETE', path: ATTACHMENT, token });
  await eventually('the VolumeAttachment is gone', WITHIN_MS, () => isGone(ATTACHMENT));
  expect(await attachmentsOf(made)).toEqual([]);
  await eventually('the volume is gone', WITHIN_MS, () => isGone(VOLUME));
});

it('tells why a volume cannot be attached (J-107)', async () => {
  const name = 'ebs-2';
  await post(ATTACHMENTS, {
    metadata: { name },
    spec: { attacher: EBS_DRIVER, nodeName: 'ebs-1', source: { persistentVolumeName: name } },
  });
  const path = `${ATTACHMENTS}/${name}`;
  const message = await eventually('the error is told', WITHIN_MS, async () => {
    const { status } = await must<VolumeAttachment>({ method: 'GET', path, token });
    return status?.attachError?.message;
  });
  expect(message).toBe(`persistentvolume "${name}" not found`);
  await must({ method: 'DELETE', path, token });
  await eventually('nothing holds it', WITHIN_MS, () => isGone(path));
});
