// SPDX-License-Identifier: Apache-2.0
// What the reader chose (views, sort orders, open rows), so that a section can be drawn anew without
// losing it.

export class Keep {
  private readonly values = new Map<string, unknown>();

  get<T>(key: string, otherwise: T): T {
    return this.values.has(key) ? (this.values.get(key) as T) : otherwise;
  }

  set(key: string, value: unknown): void {
    this.values.set(key, value);
  }
}
