import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { keptSigningKeyName } from '../../shared/adapters/dynamodb/upkeep/names.ts';
import { acknowledge } from './acknowledge.ts';
import type { KeptState } from './kept-state.ts';

export interface SigningKeyProps {
  readonly removalPolicy: 'retain' | 'destroy';
  /** The state of an earlier stack, whose key is reused. Without it, a key is generated. */
  readonly kept: KeptState | undefined;
}

/** 64 letters and digits have 380 bits, more than HS256 can use. */
const SECRET_LENGTH = 64;

/** Lets a function read the key. `grantRead` of CDK would also let it describe the secret. */
export const grantValue = ({ secretArn }: Pick<ISecret, 'secretArn'>, grantee: IGrantable): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secretArn] }),
  );
};

/** The key that signs the cluster's tokens. Secrets Manager generates it; the template never contains it. */
export class SigningKey extends Construct {
  readonly secret: Secret | ISecret;

  constructor(scope: Construct, id: string, props: SigningKeyProps) {
    super(scope, id);
    const { kept } = props;
    this.secret = kept
      ? Secret.fromSecretCompleteArn(this, 'Secret', kept.signingKeyArn)
      : this.#generate(props);
  }

  #generate({ removalPolicy }: SigningKeyProps): Secret {
    const secret = new Secret(this, 'Secret', {
      secretName: keptSigningKeyName(Stack.of(this).stackName),
      description: 'Signs the tokens of a Rollcall cluster',
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ kid: 'k1' }),
        generateStringKey: 'secret',
        passwordLength: SECRET_LENGTH,
        excludePunctuation: true,
      },
      removalPolicy: removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    acknowledge(
      secret,
      'AwsSolutions-SMG4',
      'The key is rotated by hand: both keys must be valid for a while, because tokens live up to 30 days',
    );
    return secret;
  }
}
