/** EBS as the cloud of disks. */
import {
  AttachVolumeCommand,
  DescribeInstancesCommand,
  DescribeVolumesCommand,
  DetachVolumeCommand,
  EC2Client,
  type Instance,
  type Volume,
} from '@aws-sdk/client-ec2';
import { optional } from '../../kube/values/optional.ts';
import { type DiskCloud, DiskCloudError, type DiskFault } from '../../ports/outside/disk-cloud.ts';
import {
  DISK_STATES,
  type Disk,
  type DiskAttachment,
  type DiskMachine,
} from '../../rules/attachments/disk.ts';
import { INSTANCE_STATES } from '../../rules/cloud/instance.ts';
import { EC2_LIMITS, limited } from '../system/aws-requests.ts';
import { nodeNameOf } from './node-name.ts';

/** Creates a client without attempts of its own: whoever asks has a back-off that is stored. */
export const createEbsClient = (): EC2Client => new EC2Client(limited({ ...EC2_LIMITS, attempts: 1 }));

const FAULTS: Readonly<Record<string, DiskFault>> = {
  'InvalidVolume.NotFound': 'missing',
  'InvalidInstanceID.NotFound': 'missing',
  'InvalidAttachment.NotFound': 'detached',
  VolumeInUse: 'in-use',
  RequestLimitExceeded: 'unavailable',
  Throttling: 'unavailable',
  ThrottlingException: 'unavailable',
  InternalError: 'unavailable',
  InternalFailure: 'unavailable',
  ServiceUnavailable: 'unavailable',
  Unavailable: 'unavailable',
};

/** Of an error that EC2 answered with; any other one means that it was not reached. */
const faultOf = ({ name, message }: Error, isDetach: boolean): DiskFault => {
  // Only a volume that is free is surely nowhere: one that is being attached is in a wrong state, too.
  if (name === 'IncorrectState') return isDetach && message.includes("'available'") ? 'detached' : 'refused';
  if (name === 'InvalidParameterValue' && message.includes('already in use')) return 'device-in-use';
  return FAULTS[name] ?? 'refused';
};

const isAnswer = (error: Error): boolean => '$metadata' in error && '$fault' in error;

const errorOf = (error: unknown, isDetach: boolean): DiskCloudError => {
  if (!(error instanceof Error)) return new DiskCloudError('unavailable', String(error), { cause: error });
  const fault = isAnswer(error) ? faultOf(error, isDetach) : 'unavailable';
  return new DiskCloudError(fault, `${error.name}: ${error.message}`, { cause: error });
};

const asking = async <T>(request: Promise<T>, isDetach = false): Promise<T> => {
  try {
    return await request;
  } catch (error) {
    throw errorOf(error, isDetach);
  }
};

/** `undefined` if there is none of that name. */
const unlessMissing = async <T>(request: Promise<T | undefined>): Promise<T | undefined> => {
  try {
    return await asking(request);
  } catch (error) {
    if (error instanceof DiskCloudError && error.fault === 'missing') return undefined;
    throw error;
  }
};

const attachmentsOf = ({ Attachments = [] }: Volume): readonly DiskAttachment[] =>
  Attachments.flatMap(({ State, InstanceId = '', Device = '' }) => {
    const state = DISK_STATES.find((one) => one === State);
    return state ? [{ machine: InstanceId, device: Device, state }] : [];
  });

const diskOf = (volume: Volume): Disk => ({
  isReady: volume.State === 'available' || volume.State === 'in-use',
  isShared: volume.MultiAttachEnabled === true,
  attachments: attachmentsOf(volume),
});

const machineOf = (instance: Instance, clusterId: string): DiskMachine => {
  const { State, BlockDeviceMappings = [] } = instance;
  return {
    state: INSTANCE_STATES.find((one) => one === State?.Name) ?? 'pending',
    devices: BlockDeviceMappings.flatMap(({ DeviceName }) => DeviceName ?? []),
    ...optional('nodeName', nodeNameOf(instance, clusterId)),
  };
};

const readDisk = async (client: EC2Client, disk: string): Promise<Disk | undefined> => {
  const { Volumes: [volume] = [] } = await client.send(new DescribeVolumesCommand({ VolumeIds: [disk] }));
  return volume && diskOf(volume);
};

const readMachine = async (
  client: EC2Client,
  machine: string,
  clusterId: string,
): Promise<DiskMachine | undefined> => {
  const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ InstanceIds: [machine] }));
  const [instance] = Reservations.flatMap(({ Instances = [] }) => Instances);
  return instance && machineOf(instance, clusterId);
};

export const ebs = (client: EC2Client, clusterId: string): DiskCloud => ({
  disk: (disk) => unlessMissing(readDisk(client, disk)),
  machine: (machine) => unlessMissing(readMachine(client, machine, clusterId)),
  attach: async ({ disk, machine }, device) => {
    await asking(
      client.send(new AttachVolumeCommand({ VolumeId: disk, InstanceId: machine, Device: device })),
    );
  },
  detach: async ({ disk, machine }, isForced) => {
    const Force = isForced;
    await asking(client.send(new DetachVolumeCommand({ VolumeId: disk, InstanceId: machine, Force })), true);
  },
});
