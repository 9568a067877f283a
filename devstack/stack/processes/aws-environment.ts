import { given } from '../../../providers/given.ts';

/** Region of the embedded EC2. */
export const EC2_REGION = 'us-east-1';

/**
 * Makes the AWS SDK talk to the embedded EC2. No credentials: those come by Secret, as in a real cluster.
 * @param limits whether that EC2 has the limits of calls that EC2 documents; where it has none, the worker keeps to none
 */
export function awsEnvironment(
  endpoint: string,
  { limits = false }: { readonly limits?: boolean } = {},
): Record<string, string> {
  return {
    AWS_REGION: EC2_REGION,
    AWS_ENDPOINT_URL_EC2: endpoint,
    AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING: endpoint,
    AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: endpoint,
    AWS_ENDPOINT_URL_STS: endpoint,
    // Neither the user's profiles nor an instance's role are any of the embedded stack's business.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    ...given({ MILLWRIGHT_CLOUD_RATES: limits ? undefined : 'aws=none' }),
  };
}
