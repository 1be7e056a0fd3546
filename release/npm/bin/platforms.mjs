// The platforms with a package, as Node names them (process.platform-process.arch), and Go's name
// for each.
export const platforms = {
  "darwin-arm64": "darwin-arm64",
  "darwin-x64": "darwin-amd64",
  "linux-arm64": "linux-arm64",
  "linux-x64": "linux-amd64",
  "win32-arm64": "windows-arm64",
  "win32-x64": "windows-amd64",
};

// binaryOf returns the name of the program's file on a platform.
export const binaryOf = (platform) => (platform.startsWith("win32-") ? "edgelingua.exe" : "edgelingua");

// programOf returns the name of a platform's program in a release.
export const programOf = (platform) =>
  `edgelingua-${platforms[platform]}${platform.startsWith("win32-") ? ".exe" : ""}`;

// tarballOf returns the name of a platform's package in a release.
export const tarballOf = (platform) => `edgelingua-npm-${platform}.tgz`;
