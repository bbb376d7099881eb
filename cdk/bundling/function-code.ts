import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { bundleOptions } from './bundle.ts';

const LAMBDAS = fileURLToPath(new URL('../../lambdas/', import.meta.url));

/** The bundle of `lambdas/<folder>`. CDK's NodejsFunction cannot make several files, so esbuild is called directly. */
export const functionCode = (folder: string): Code =>
  Code.fromAsset(`${LAMBDAS}${folder}`, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // The type requires an image, but bundling never runs in a container.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle: (outdir) => {
          buildSync(bundleOptions(`lambdas/${folder}/handler.ts`, outdir));
          return true;
        },
      },
    },
  });
