/** Region of the embedded EC2. */
export const EC2_REGION = 'us-east-1';

/** Makes the AWS SDK talk to the embedded EC2. No credentials: those come by Secret, as in a real cluster. */
export function awsEnvironment(endpoint: string): Record<string, string> {
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
  };
}
