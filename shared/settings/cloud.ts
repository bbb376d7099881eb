/** Who knows the machines of a fleet. */

export type CloudConfig =
  | { readonly provider: 'ec2' }
  /** A service of the operator that answers POSTs. */
  | { readonly provider: 'webhook'; readonly url: string }
  /** A file with all machines, on a host. */
  | { readonly provider: 'file'; readonly file: string };

/** The settings as the user gave them. */
export interface CloudSettings {
  readonly cloudProvider: 'none' | CloudConfig['provider'];
  readonly cloudProviderUrl: string | undefined;
  /** Only a host has it. */
  readonly cloudProviderFile?: string | undefined;
}

/** What the settings lack, as messages. */
export const cloudFaults = (settings: CloudSettings): readonly string[] => {
  const { cloudProvider, cloudProviderUrl, cloudProviderFile } = settings;
  if (cloudProvider === 'webhook' && cloudProviderUrl === undefined)
    return ['cloudProviderUrl: the cloudProvider "webhook" needs it; give the URL that answers for machines'];
  if (cloudProvider === 'file' && cloudProviderFile === undefined)
    return [
      'cloudProviderFile: the cloudProvider "file" needs it; give the path of the file with the machines',
    ];
  return [];
};

/** The provider, from settings without faults; `undefined`: none. */
export const cloudConfig = (settings: CloudSettings): CloudConfig | undefined => {
  const { cloudProvider: provider, cloudProviderUrl: url = '', cloudProviderFile: file = '' } = settings;
  if (provider === 'none') return undefined;
  if (provider === 'webhook') return { provider, url };
  return provider === 'file' ? { provider, file } : { provider };
};
