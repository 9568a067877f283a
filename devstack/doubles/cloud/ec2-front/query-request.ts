/** A call of the AWS query protocol: a form with `Action`, lists as `InstanceId.1`, signed for a service and a region. */

/** Where the load balancers' two APIs, and STS, differ from EC2. */
export type AwsService = 'ec2' | 'elasticloadbalancing' | 'sts';

export interface TagSpecification {
  readonly resourceType: string;
  readonly tags: Readonly<Record<string, string>>;
}

export interface Filter {
  readonly name: string;
  readonly values: readonly string[];
}

const DEFAULT_REGION = 'us-east-1';

export class QueryRequest {
  readonly params: URLSearchParams;
  readonly service: AwsService;
  readonly region: string;
  /** Of whoever signed; undefined: nobody did. */
  readonly accessKeyId: string | undefined;

  constructor(body: string, authorization: string | undefined) {
    this.params = new URLSearchParams(body);
    // AWS4-HMAC-SHA256 Credential=<key>/<date>/<region>/<service>/aws4_request, …
    const scope = /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\//.exec(authorization ?? '');
    this.accessKeyId = scope?.[1];
    this.region = scope?.[2] ?? DEFAULT_REGION;
    this.service = serviceOf(scope?.[3], this.version);
  }

  /** As EC2 calls it, e.g. `RunInstances`. */
  get action(): string {
    return this.get('Action');
  }

  get version(): string {
    return this.get('Version');
  }

  /** Empty where it is not given. */
  get(name: string): string {
    return this.params.get(name) ?? '';
  }

  /** `list('InstanceId')` reads InstanceId.1, InstanceId.2, …; a path goes on after the number. */
  list(name: string, path = ''): string[] {
    const values: string[] = [];
    for (let n = 1; ; n += 1) {
      const value = this.params.get(`${name}.${n}${path}`);
      if (value === null) return values;
      values.push(value);
    }
  }

  filters(): Filter[] {
    return this.list('Filter', '.Name').map((name, i) => ({ name, values: this.list(`Filter.${i + 1}.Value`) }));
  }

  tagSpecifications(): TagSpecification[] {
    return this.list('TagSpecification', '.ResourceType').map((resourceType, i) => ({
      resourceType,
      tags: this.#tagsAt(`TagSpecification.${i + 1}.Tag`),
    }));
  }

  /** Tags of a CreateTags. */
  tags(): Record<string, string> {
    return this.#tagsAt('Tag');
  }

  /** The same call with these filters and no others. */
  withFilters(filters: readonly Filter[]): URLSearchParams {
    const kept = [...this.params].filter(([name]) => !name.startsWith('Filter.'));
    const params = new URLSearchParams(kept);
    for (const [f, { name, values }] of filters.entries()) {
      params.set(`Filter.${f + 1}.Name`, name);
      for (const [v, value] of values.entries()) params.set(`Filter.${f + 1}.Value.${v + 1}`, value);
    }
    return params;
  }

  #tagsAt(prefix: string): Record<string, string> {
    const keys = this.list(prefix, '.Key');
    return Object.fromEntries(keys.map((key, i) => [key, this.get(`${prefix}.${i + 1}.Value`)]));
  }
}

/** API versions of the classic load balancers and of the others. */
function serviceOf(signedFor: string | undefined, version: string): AwsService {
  if (signedFor === 'sts') return 'sts';
  return signedFor === 'elasticloadbalancing' || isElbVersion(version) ? 'elasticloadbalancing' : 'ec2';
}

function isElbVersion(version: string): boolean {
  return version === '2012-06-01' || version === '2015-12-01';
}
