/**
 * Replaces `@aws-sdk/credential-provider-node` in the functions' bundles. A function gets its credentials from its
 * environment only; the SDK's provider chain (files, metadata services, SSO) would be a fifth of a bundle.
 */

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set; Lambda sets it in the environment of a function`);
  return value;
};

/** Has the name of the replaced package's export. The provider throws if a variable is missing. */
export const defaultProvider = () => async (): Promise<Credentials> => {
  const sessionToken = process.env['AWS_SESSION_TOKEN'];
  return {
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
};
