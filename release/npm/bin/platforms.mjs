// The platforms that have a package, as Node names them (process.platform-process.arch), each with
// Go's name for it.
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

// programOf returns the name that the program for a platform has in a release.
export const programOf = (platform) =>
  `edgelingua-${platforms[platform]}${platform.startsWith("win32-") ? ".exe" : ""}`;

// tarballOf returns the name that a platform's package has in a release.
export const tarballOf = (platform) => `edgelingua-npm-${platform}.tgz`;
