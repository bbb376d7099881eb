import type { DiskCloud } from '../../shared/ports/outside/disk-cloud.ts';

/** Loads the cloud whose disks are attached; the client of AWS only if it is EBS. `undefined`: somebody else attaches. */
export const loadDisks = async (
  attacher: 'none' | 'ebs',
  clusterId: string,
): Promise<DiskCloud | undefined> => {
  if (attacher === 'none') return undefined;
  const { createEbsClient, ebs } = await import('../../shared/adapters/ec2/ebs.ts');
  return ebs(createEbsClient(), clusterId);
};
